import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A shell line from a page of the docs. */
export type ShellLine = { readonly page: string; readonly line: string }

const FOLDERS = [
  '.',
  'docs',
  'docs/operations',
  'skills/touchstone',
  ...below('packages'),
  ...below('examples'),
]
/** Every Markdown page of the repository. */
export const PAGES: readonly string[] = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
)

// Outside a fenced block, code is a shell line if it starts with a program or an environment variable.
const PROGRAM =
  /^([A-Z_]+=\S+ +)*(npm|npx|node|pnpm|touchstone|touchstone-server|export|docker|git|curl|psql|sh|bash) +\S/

/** Lists the shell lines of every page: fenced as `sh`, indented, or inline, without their comments. */
export function listShellLines(): ShellLine[] {
  const seen = new Set<string>()
  return PAGES.flatMap((page) =>
    shellLinesOf(readFileSync(join(ROOT, page), 'utf8')).map((line) => ({ page, line })),
  ).filter(({ page, line }) => {
    const key = `${page} ${line}`
    return !seen.has(key) && seen.add(key)
  })
}

/** Returns the shell lines of one page. */
export function shellLinesOf(text: string): string[] {
  const fenced = [...text.matchAll(/^```(?:sh|bash|shell|console)\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
    (block ?? '').split('\n'),
  )
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const indented = [...prose.matchAll(/^ {4}(\S.*)$/gm)].map(([, line]) => line ?? '')
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '')
  const clean = (line: string) => line.replace(/(^|\s+)#.*$/, '').trim()
  return [
    ...fenced.map(clean).filter((line) => line !== ''),
    ...[...indented, ...inline].map(clean).filter((line) => PROGRAM.test(line)),
  ]
}

function below(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(ROOT, path, 'README.md')))
}
