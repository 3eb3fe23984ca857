import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type RunOptions, readOptions } from './readOptions.ts'

/** Result of a campaign or a benchmark: whether it met its bar, and its figures. */
export type Result = { readonly ok: boolean; readonly figures: Readonly<Record<string, unknown>> }

/** The exports of a campaign or a benchmark. */
export type Named = {
  readonly run: (options: RunOptions) => Promise<Result>
  /** Names of options that take a whole number from 1, such as `endpoints`. @default none */
  readonly numbers?: readonly string[]
}

/**
 * Runs `<name>.ts` or `<name>/index.ts` of a folder with `--short`, `--file PATH` and numbers such as `--days 90`,
 * prints its figures, and exits with 1 if it missed its bar, and with 2 for options that it does not take.
 * @param around wraps the run and may change its result
 */
export async function runNamed(
  folder: URL,
  args: readonly string[],
  around: (name: string, run: () => Promise<Result>) => Promise<Result> = (_, run) => run(),
): Promise<never> {
  const [name = '', ...flags] = args
  const file = [`./${name}.ts`, `./${name}/index.ts`]
    .map((path) => new URL(path, folder))
    .find((url) => existsSync(url))
  if (file === undefined) throw new Error(`no such name: ${name}`)
  const loaded: Named = await import(file.href)
  const read = readOptions(flags, loaded.numbers ?? [])
  if (!read.ok) {
    process.stderr.write(`${name}: ${read.problem}\n`)
    process.exit(2)
  }
  const { file: path, ...options } = read.options
  // npm runs scripts in the folder of the package; a path is relative to the caller's.
  const listed = path === undefined ? {} : { file: resolve(process.env.INIT_CWD ?? '.', path) }
  const { ok, figures } = await around(name, () => loaded.run({ ...options, ...listed }))
  process.stdout.write(`${JSON.stringify(figures)}\n`)
  process.exit(ok ? 0 : 1)
}
