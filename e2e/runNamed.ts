import { existsSync } from 'node:fs'

/** What came of a campaign or a benchmark: whether its bar was met, and what it measured. */
export type Result = { readonly ok: boolean; readonly figures: Readonly<Record<string, unknown>> }

/** What a campaign or a benchmark exports as `run`. */
export type Runner = (options: { short: boolean }) => Promise<Result>

/**
 * Loads `<name>.ts` or `<name>/index.ts` of a folder, runs it, prints its figures and exits by its bar.
 * @param around runs what it is given, and may have more to say about it
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
  const { ok, figures } = await around(name, () => loaded.run({ short: flags.includes('--short') }))
  process.stdout.write(`${JSON.stringify(figures)}\n`)
  process.exit(ok ? 0 : 1)
}
