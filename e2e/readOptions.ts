import { parseArgs } from 'node:util'

/** Options of a run. Numbers are those that the campaign or benchmark names in its `numbers` export. */
export type RunOptions = {
  readonly short: boolean
  readonly file?: string
  readonly numbers: ReadonlyMap<string, number>
}

/** Options as read from a command line, or why they cannot be. */
export type ReadOptions =
  | { readonly ok: true; readonly options: RunOptions }
  | { readonly ok: false; readonly problem: string }

const NUMBER = /^[1-9]\d{0,8}$/

/**
 * Reads the options of a run: `--short`, `--file PATH`, and whole numbers from 1.
 * @param numbers names of the options that take a number
 */
export function readOptions(flags: readonly string[], numbers: readonly string[]): ReadOptions {
  const words = flags.filter((flag) => flag !== '--')
  const taken = Object.fromEntries(numbers.map((name) => [name, { type: 'string' as const }]))
  try {
    const { values } = parseArgs({
      args: words,
      options: { ...taken, short: { type: 'boolean' }, file: { type: 'string' } },
    })
    const { short = false, file, ...rest } = values as { short?: boolean; file?: string }
    const given: [string, string][] = Object.entries(rest)
    const wrong = given.find(([, text]) => !NUMBER.test(text))
    if (wrong !== undefined) {
      const [name, text] = wrong
      return { ok: false, problem: `--${name} must be a whole number from 1 to 999999999, not "${text}"` }
    }
    const read = new Map(given.map(([name, text]) => [name, Number(text)]))
    return { ok: true, options: { short, numbers: read, ...(file !== undefined && { file }) } }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
}
