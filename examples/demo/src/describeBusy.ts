/** Says in one sentence that audits have not finished, so that no agent may shop. */
export function describeBusy(hosts: readonly string[]): string {
  return `This machine is too busy for the demonstration: audits of ${hosts.join(', ')} have not finished, and no agent paid anyone; try again when it is at rest.`
}
