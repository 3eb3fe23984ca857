type Promise = {
  readonly promise: string
  readonly tests: readonly string[]
  readonly campaigns?: readonly string[]
}

export const SUITES: readonly { readonly name: string; readonly command: string; readonly holds: string }[]
export function writeSuites(files: readonly string[], takes: Readonly<Record<string, string>>): string
export function readTakes(page: string): Record<string, string>
export function writePromises(promises: readonly Promise[]): string
export function replacePart(page: string, name: string, text: string): string
