import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { placeOf, unusedPlaces } from './docs/places.ts'
import { listShellLines, PAGES, ROOT, shellLinesOf } from './docs/shellLines.ts'

const shell = listShellLines()
const lines = [...new Set(shell.map(({ line }) => line))]
const linesAt = (place: string) => lines.filter((line) => placeOf(line) === place)

describe('shell lines of the docs', () => {
  test('default: every line has a place that runs it, and every place a line', () => {
    expect(shell.filter(({ line }) => placeOf(line) === undefined)).toEqual([])
    expect(unusedPlaces(lines)).toEqual([])
    expect(PAGES).toEqual(
      expect.arrayContaining(['README.md', 'docs/operations.md', 'packages/guard/README.md']),
    )
  })

  test('behavior: finds lines in fenced blocks, indented code and inline code', () => {
    const page =
      'Run `npm test` or `a.ts`.\n\n    export A=b\n    tree/\n\n```sh\ncurl a  # why\n# only this\n\n```\n'
    expect(shellLinesOf(page)).toEqual(['curl a', 'export A=b', 'npm test'])
    expect(placeOf('curl a')).toBeUndefined()
  })

  test.each(['CONTRIBUTING.md', 'SECURITY.md'])('default: every test file that %s names exists', (page) => {
    const named = readFileSync(join(ROOT, page), 'utf8').match(/[\w./-]+\.test\.ts/g) ?? []
    expect(named.filter((path) => path.includes('/') && !existsSync(join(ROOT, path)))).toEqual([])
  })

  test.each([
    ['campaign', 'e2e/campaigns'],
    ['bench', 'bench'],
  ])('default: every %s that a page names exists', (kind, folder) => {
    const mention = new RegExp(
      `\\b(?:${kind}e?s? |npm run ${kind} -- (?=\\w))((?:\`?[\\w-]+\`(?:, | and )?)+)`,
      'g',
    )
    const named = PAGES.flatMap((page) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(mention)].flatMap(([, list = '']) =>
        [...list.matchAll(/([\w-]+)`/g)].map(([, name]) => join(ROOT, folder, String(name))),
      ),
    )
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter((path) => !existsSync(path) && !existsSync(`${path}.ts`))).toEqual([])
  })

  test.each(linesAt('ci'))('default: .ci/run runs %s', (line) => {
    expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(
      new RegExp(`^ *(step|if !) ${line}( |$)`, 'm'),
    )
  })

  test.each(linesAt('suite'))('default: a test covers %s', (line) => {
    const paths = line.match(/\S+\.(?:ts|mjs)\b/g) ?? []
    expect(paths.length).toBeGreaterThan(0)
    for (const path of paths) {
      const stem = path.replace(/(\.test)?\.(ts|mjs)$/, '')
      const tests = [`${stem}.test.ts`, `${stem}.release.test.ts`]
      // These folders are the unit projects of vitest.config.ts.
      expect(path).toMatch(/^((packages|examples)\/[^/]+\/src|scripts)\//)
      expect(
        tests.some((test) => existsSync(join(ROOT, test))),
        path,
      ).toBe(true)
    }
  })
})

/** Returns the anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

test('default: every link between files leads to a file, and to a heading of it', () => {
  const broken = PAGES.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(
      ([link, path = '', anchor]) => {
        const file = path === '' ? join(ROOT, page) : join(ROOT, page, '..', path)
        if (!existsSync(file)) return [`${page}: ${link}`]
        const isFound = anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor)
        return isFound ? [] : [`${page}: ${link}`]
      },
    ),
  )
  expect(broken).toEqual([])
})

test('default: the skill has the form that agents load', () => {
  const text = readFileSync(join(ROOT, 'skills/touchstone/SKILL.md'), 'utf8')
  const [, head = ''] = /^---\n([\s\S]+?)\n---\n/.exec(text) ?? []
  const fields = Object.fromEntries(head.split('\n').map((line) => line.split(/: (.*)/)))
  // Source: https://agentskills.io/specification
  expect(fields).toEqual({
    name: 'touchstone',
    description: expect.stringMatching(/^.{1,1024}$/),
    license: 'MIT',
    compatibility: expect.stringMatching(/^.{1,500}$/),
  })
  // A colon and a space would begin another mapping in YAML.
  for (const value of Object.values(fields)) expect(value).not.toMatch(/: | #/)
})

/** Whether every value of `part` stands in `whole`, at its place; a list may be shortened. */
function isPart(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null || typeof whole !== 'object' || whole === null)
    return part === whole
  const values: Record<string, unknown> = { ...whole }
  return Object.entries(part).every(([name, value]) => isPart(value, values[name]))
}

test('default: the answers of docs/tokens.md are parts of the examples of the contract', () => {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
  const examples = JSON.parse(read('packages/server/src/http/tokenExamples.json'))
  const shown = [
    ...read('docs/tokens.md').matchAll(/^## (\w+)\n(?:(?!^## )[\s\S])*?^```json\n([\s\S]*?)^```$/gm),
  ]
  expect(shown.map(([, heading = '']) => heading)).toEqual(['Pulse', 'Whales', 'Flow', 'Momentum'])
  for (const [, heading = '', json = ''] of shown) {
    const example = examples[heading.toLowerCase()]
    expect([heading, isPart(JSON.parse(json), example)]).toEqual([heading, true])
    expect(isPart({ ...JSON.parse(json), summary: 'another' }, example)).toBe(false)
  }
})

test('default: the README names all parts first, and is short before the interface', () => {
  const [head = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split('## Ask the service')
  expect(head.split(/\s+/).length).toBeLessThan(701)
  const opening = head.split('\n').slice(0, 4).join('\n')
  for (const part of ['guard library', 'audit', 'token analytics']) expect(opening).toContain(part)
})

test('default: every page that installs or runs a package says that it must be packed first', () => {
  const unpublished = /npm install .*@touchstone402\/|npx .*(@touchstone402\/|\btouchstone\b)/
  // The skill is for agents, which set up nothing.
  const pages = PAGES.filter((page) => page !== 'skills/touchstone/SKILL.md').map((page) => ({
    page,
    text: readFileSync(join(ROOT, page), 'utf8'),
  }))
  const missing = pages.filter(({ text }) => unpublished.test(text) && !/#pack-it|^## Pack it/m.test(text))
  expect(missing.map(({ page }) => page)).toEqual([])
  expect(pages.filter(({ text }) => unpublished.test(text)).length).toBeGreaterThan(5)
})
