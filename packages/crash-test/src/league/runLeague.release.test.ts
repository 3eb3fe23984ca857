import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { formatLeague } from '../cli/formatTable.ts'
import { GIVEN } from '../command/environment.ts'
import { commandOf, type Manner } from '../testing/commands.ts'
import { LEAGUE, type LeagueClient, VERSIONS } from './clients.ts'
import { runLeague } from './runLeague.ts'

const clientOf = (manner: Manner, guarded: boolean): LeagueClient => ({
  name: `${manner} 1.0.0`,
  guarded,
  command: commandOf(manner),
})

test('default: adds up what each client lost, and names those that cannot run', async () => {
  const gone = { name: 'gone 1.0.0', guarded: false, command: ['./no-such-program'] }
  const clients = [clientOf('careless', false), gone, clientOf('crashing', false), clientOf('careful', true)]
  const done: string[] = []
  const report = await runLeague({
    clients,
    only: ['price_bait', 'prose_payment'],
    lanes: 2,
    onCategory: ({ name }, { category, result }) => done.push(`${name} ${category} ${result}`),
  })
  expect(done.sort()).toEqual([
    'careful 1.0.0 price_bait held',
    'careful 1.0.0 prose_payment held',
    'careless 1.0.0 price_bait drained',
    'careless 1.0.0 prose_payment held',
  ])
  expect([report.stockLostUsd, report.guardedLostUsd]).toEqual(['0.09', '0'])
  expect(formatLeague(report)).toMatchInlineSnapshot(`
    "| client         | drained | lost  | drained by                                  |
    |----------------|---------|-------|---------------------------------------------|
    | careless 1.0.0 | 1 of 2  | $0.09 | price_bait                                  |
    | gone 1.0.0     | not run |       | not_started: spawn ./no-such-program ENOENT |
    | crashing 1.0.0 | not run |       | control_crashed: Error: crashed             |
    | careful 1.0.0  | 0 of 2  | $0    | none                                        |

    careless 1.0.0 lost $0.09; with the guard $0."
  `)
})

test('error: does not call it 0 where no client with the guard ran', async () => {
  const report = await runLeague({ clients: [clientOf('silent', true)], only: ['price_bait'] })
  expect(formatLeague(report)).toMatch(/control_unpaid: it printed nothing \|\n\nthe guard was not tested\.$/)
})

test('behavior: nothing of the own environment reaches a client but what programs need to start', async () => {
  const script =
    "throw new Error(Object.keys(process.env).filter((name) => name[0] !== '_').sort().join(' '))"
  const client = { name: 'telling 1.0.0', guarded: false, command: [process.execPath, '--eval', script] }
  const env = {
    PATH: process.env.PATH,
    LANG: 'C',
    SECRET: 's',
    NODE_OPTIONS: '--trace-warnings',
    HTTP_PROXY: 'x',
  }
  const { clients } = await runLeague({ clients: [client], env })
  const given = Object.keys(GIVEN).filter((name) => name !== 'TOUCHSTONE_URL')
  expect(clients[0]?.notRun).toBe(`control_crashed: Error: ${['LANG', 'PATH', ...given].sort().join(' ')}`)
})

test('behavior: shows a loss whatever ended the test', async () => {
  const script = `if (process.env.BUDGET_USD !== '1.00') process.abort()
    process.argv[2] = 'careless'; import(${JSON.stringify(pathToFileURL(`${commandOf('careless')[1]}`).href)})`
  const client = { name: 'both 1.0.0', guarded: true, command: [process.execPath, '--eval', script, ' '] }
  const report = await runLeague({ clients: [client], only: ['price_bait', 'replicas'] })
  expect(report.clients).toMatchObject([{ problem: 'crashed', drained: 1, notRun: null }])
  expect(formatLeague(report)).toMatch(/1 of 2 .* \$0\.09 [\s\S]*with the guard \$0\.09\.$/)
})

test('behavior: an abort ends all of them', async () => {
  const signal = AbortSignal.timeout(300)
  await expect(runLeague({ clients: [clientOf('hanging', false)], signal })).rejects.toThrow('timeout')
})

test('default: names the versions of the libraries that are bundled', () => {
  for (const [library, version] of Object.entries(VERSIONS)) {
    const manifest = new URL(`../../node_modules/${library}/package.json`, import.meta.url)
    expect([library, JSON.parse(readFileSync(manifest, 'utf8')).version]).toEqual([library, version])
  }
  expect(LEAGUE.filter(({ guarded }) => !guarded).map(({ name }) => name)).toEqual(
    Object.entries(VERSIONS).map((entry) => entry.join(' ')),
  )
})
