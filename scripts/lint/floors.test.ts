import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

type Case = readonly [path: string, content: string]

const root = fileURLToPath(new URL('../../', import.meta.url))
let folder = ''
const found = new Map<string, string[]>()

/** Lints a tree that holds nothing but the cases, with the project's own configuration. */
async function lint(cases: readonly Case[]): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'floors-'))
  const {
    vcs: _vcs,
    $schema: _schema,
    ...config
  } = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'))
  await writeFile(join(folder, 'biome.json'), JSON.stringify(config))
  await cp(join(root, 'scripts/lint'), join(folder, 'scripts/lint'), { recursive: true })
  for (const [path, content] of cases) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), `${content}\n`)
  }
  const { stdout, error } = spawnSync(
    join(root, 'node_modules/.bin/biome'),
    ['lint', '--reporter=json', '--max-diagnostics=none', 'packages', 'examples', 'e2e'],
    { cwd: folder, encoding: 'utf8' },
  )
  if (error !== undefined) throw error
  const report: { diagnostics: { category: string; location: { path: string } }[] } = JSON.parse(stdout)
  for (const { category, location } of report.diagnostics) {
    found.set(location.path, [...(found.get(location.path) ?? []), category])
  }
}

/** Rules that keep the floors apart. */
const isFloor = (category: string) => /noRestrictedImports|noRestrictedGlobals|plugin/.test(category)

/** A file of its own for each case, in the folder that the case is about. */
const place = (cases: readonly Case[], name: string): Case[] =>
  cases.map(([path, content], index) => [`${dirname(path)}/${name}${index}.ts`, content])

const FORBIDDEN = place(
  [
    ['packages/shared/src/probe.ts', "export * from 'node:fs'"],
    ['packages/shared/src/probe.ts', "export * from 'viem'"],
    ['packages/shared/src/probe.ts', "export * from '@touchstone402/guard'"],
    ['packages/guard/src/probe.ts', "export * from 'node:fs'"],
    ['packages/guard/src/probe.ts', "export * from 'express'"],
    ['packages/guard/src/probe.ts', "export * from '@touchstone402/server'"],
    ['packages/server/src/domain/probe.ts', "export * from 'node:fs'"],
    ['packages/server/src/domain/probe.ts', "export * from 'viem'"],
    ['packages/server/src/domain/token/probe.ts', "export * from '../../adapters/chain/ranges.ts'"],
    ['packages/server/src/domain/probe.ts', "export * from '../http/problems.ts'"],
    ['packages/server/src/domain/probe.ts', 'export const probe = () => fetch("http://localhost")'],
    ['packages/server/src/domain/probe.ts', 'export const probe = () => process.env'],
    ['packages/server/src/domain/probe.ts', 'export const probe = () => Date.now()'],
    ['packages/server/src/domain/probe.ts', 'export const probe = () => new Date()'],
    ['packages/server/src/domain/probe.ts', 'export const probe = () => Math.random()'],
    ['packages/server/src/jobs/probe.ts', "export * from '../adapters/probe/createProber.ts'"],
    ['packages/server/src/http/answers/probe.ts', "export * from '../../adapters/chain/ranges.ts'"],
    ['packages/server/src/adapters/store/probe.ts', "export * from '../chain/ranges.ts'"],
    ['packages/server/src/adapters/store/lowdb/probe.ts', "export * from '../../signing/keyFile.ts'"],
    ['packages/server/src/adapters/probe/probe.ts', "export * from '../../http/problems.ts'"],
    ['examples/quickstart/src/probe.ts', "export * from '../../../packages/guard/src/index.ts'"],
    ['e2e/probe.ts', "export * from '../packages/server/src/domain/score.ts'"],
  ],
  'forbidden',
)

const ALLOWED = place(
  [
    ['packages/shared/src/probe.ts', "export * from 'zod/mini'"],
    ['packages/guard/src/probe.ts', "export * from '@touchstone402/shared'"],
    ['packages/server/src/domain/probe.ts', 'export const probe = (now: number) => new Date(now)'],
    ['packages/server/src/http/probe.ts', "export * from '../ports/store.ts'"],
    ['packages/server/src/adapters/store/lowdb/probe.ts', "export * from '../timeline.ts'"],
    ['e2e/probe.ts', "export * from '@touchstone402/server/parts'"],
  ],
  'allowed',
)

beforeAll(() => lint([...FORBIDDEN, ...ALLOWED]))
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('floors', () => {
  it.each(FORBIDDEN)('error: %s may not hold %s', (path) => {
    expect(found.get(path)?.some(isFloor)).toBe(true)
  })

  it.each(ALLOWED)('default: %s may hold %s', (path) => {
    expect(found.get(path)?.some(isFloor) ?? false).toBe(false)
  })
})
