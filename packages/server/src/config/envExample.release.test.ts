import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readConfig, SETTINGS } from './config.ts'
import { WITNESS_SETTINGS } from './logSettings.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (path: string) => readFileSync(ROOT + path, 'utf8')

const SETTING_NAMES = Object.keys({ ...SETTINGS, ...WITNESS_SETTINGS })

type Line = { readonly name: string; readonly value: string; readonly isOn: boolean; readonly before: string }

const lines = read('.env.example').split('\n')
const settings: Line[] = lines.flatMap((line, index) => {
  const [, off, name, value = ''] = /^(#?)([A-Z_]+)=(.*)$/.exec(line) ?? []
  return name === undefined ? [] : [{ name, value, isOn: off === '', before: lines[index - 1] ?? '' }]
})
const names = settings.map(({ name }) => name)
const defaults = Object.fromEntries(
  settings.flatMap(({ name, value }) => (value === '' ? [] : [[name, value]])),
)
const required = {
  PUBLIC_URL: 'https://trust.example',
  RPC_URLS: 'https://rpc.example',
  FACILITATOR_URL: 'https://facilitator.example',
  PAY_TO: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  OPERATOR_NAME: 'Example Trust',
  OPERATOR_CONTACT: 'ops@trust.example',
  DIRECTORIES: 'bazaar=https://bazaar.example',
}
const composeNames = [...read('compose.yaml').matchAll(/\$\{([A-Z_]+):/g)].map(([, name = '']) => name)

test('default: .env.example lists every setting once, each under a sentence', () => {
  const all = [...SETTING_NAMES, ...new Set(composeNames)]
  expect([...names].sort()).toEqual(all.sort())
  for (const { name, before } of settings)
    expect([name, before]).toEqual([name, expect.stringMatching(/^# \S.*\.$|^# .*…$/)])
})

test('behavior: exactly the required settings are on, and empty', () => {
  const on = settings.filter(({ isOn }) => isOn)
  expect(on.map(({ name, value }) => [name, value])).toEqual(Object.keys(required).map((name) => [name, '']))
  const answer = readConfig(Object.fromEntries(on.map(({ name, value }) => [name, value])))
  const problems = answer.ok ? [] : answer.problems
  expect([...new Set(problems.map((problem) => problem.split(' ')[0]))]).toEqual(Object.keys(required))
})

test('behavior: shows the default of each setting that has one, and nothing for the others', () => {
  // The witness requires its logs. A port of the metrics turns them on, so none is the default.
  const isOther = new Set([...Object.keys(required), 'WITNESS_LOGS', 'METRICS_PORT'])
  for (const [name, schema] of Object.entries({ ...SETTINGS, ...WITNESS_SETTINGS })) {
    if (isOther.has(name)) continue
    const byDefault = schema.parse(undefined)
    const shown = defaults[name]
    if (shown !== undefined) expect([name, schema.parse(shown)]).toEqual([name, byDefault])
    const isNothing =
      byDefault === undefined ||
      (Object.keys(Object(byDefault)).length === 0 && typeof byDefault === 'object')
    expect([name, shown === undefined]).toEqual([name, isNothing])
  }
  expect(Object.keys(defaults).length).toBeGreaterThan(15)
})

test('behavior: a shell can read the file', () => {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', 'set -a; . ./.env.example; env'], {
    cwd: ROOT,
    env: {},
  })
  expect([status, String(stderr)]).toEqual([0, ''])
  for (const name of Object.keys(required)) expect(String(stdout)).toContain(`${name}=\n`)
})

test('default: docs/operations.md explains every setting', () => {
  const table = read('docs/operations.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name))
  expect(table.sort()).toEqual([...SETTING_NAMES].sort())
})
