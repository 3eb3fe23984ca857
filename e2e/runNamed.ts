import { existsSync } from 'node:fs'

/** What a campaign or a benchmark exports as `run`. */
export type Runner = (options: {
  short: boolean
}) => Promise<{ ok: boolean; figures: Record<string, unknown> }>

/** Loads `<name>.ts` or `<name>/index.ts` of a folder, runs it, prints its figures and exits by its bar. */
export async function runNamed(folder: URL, args: readonly string[]): Promise<never> {
  const [name = '', ...flags] = args
  const file = [`./${name}.ts`, `./${name}/index.ts`]
    .map((path) => new URL(path, folder))
    .find((url) => existsSync(url))
  if (file === undefined) throw new Error(`no such name: ${name}`)
  const loaded: { run: Runner } = await import(file.href)
  const { ok, figures } = await loaded.run({ short: flags.includes('--short') })
  process.stdout.write(`${JSON.stringify(figures)}\n`)
  process.exit(ok ? 0 : 1)
}
