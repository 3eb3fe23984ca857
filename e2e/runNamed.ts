import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Result of a campaign or a benchmark: whether it met its bar, and its figures. */
export type Result = { readonly ok: boolean; readonly figures: Readonly<Record<string, unknown>> }

/** The `run` export of a campaign or a benchmark. */
export type Runner = (options: { short: boolean; file?: string }) => Promise<Result>

/**
 * Runs `<name>.ts` or `<name>/index.ts` of a folder with `--short` and `--file PATH`, prints its figures, and exits with 1 if it missed its bar.
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
  const loaded: { run: Runner } = await import(file.href)
  const path = flags[flags.indexOf('--file') + 1]
  // npm runs scripts in the folder of the package; a path is relative to the caller's.
  const listed = flags.includes('--file') && path ? resolve(process.env.INIT_CWD ?? '.', path) : undefined
  const options = { short: flags.includes('--short'), ...(listed !== undefined && { file: listed }) }
  const { ok, figures } = await around(name, () => loaded.run(options))
  process.stdout.write(`${JSON.stringify(figures)}\n`)
  process.exit(ok ? 0 : 1)
}
