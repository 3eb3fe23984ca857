/** Returns why an agent cannot run in a folder, or undefined if the service and the seller of its settings answer. */
export function checkDemonstration(
  folder: string,
  environment?: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined>
