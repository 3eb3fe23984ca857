/** Whether a body or diff is kept beside a version: a reader that has the header before may still be fetching it. */
export function isKeptBeside(version: number, name: string): boolean {
  return Number(name.split('-').at(-1)) >= version - 1
}
