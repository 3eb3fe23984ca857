import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Service, startService } from '@touchstone402/demo'
import { openStore } from '@touchstone402/server/testing'
import type { ReportFeed, Verdict } from '@touchstone402/shared'
import { writeLeaf } from '@touchstone402/shared/leaves'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Audited, copyData, useService } from '../support/economy.ts'
import { runServerCommand } from '../support/runServerCommand.ts'
import { createShiftClock } from '../support/shiftClock.ts'

const DAY = 86_400_000
const GUARD_CLI = fileURLToPath(new URL('../../packages/guard/bin/touchstone.js', import.meta.url))

/** Sellers whose verdicts rest on different findings. */
const SELLERS = ['honest-v2', 'overpriced', 'testnet', 'swapped', 'price-bait', 'dead', 'no-terms']

/** A seller with log entries that no probe supports. */
const LIED_ABOUT = 'honest-both'

let audited: Audited
let service: Service
let folder: string
let dataDir: string
let key: string
/** The day on which the economy was audited. */
let date: string

/** Starts a service on the copy, two days later, when the probes of the audit are public, and waits until it has logged them. */
async function startLater() {
  const clock = createShiftClock()
  await clock.advance(2 * DAY)
  const logged: string[] = []
  service = await startService(audited.economy, {
    settings: {
      PORT: '0',
      PUBLIC_URL: audited.service.url,
      DATA_DIR: dataDir,
      LOG_INTERVAL_SECONDS: '1',
      // It is asked for the newest leaves until the day is logged.
      RATE_LIMIT_PER_MINUTE: '100000',
    },
    clock,
    log: (_, text) => void logged.push(text),
  })
  await vi.waitUntil(isLogged, { timeout: 120_000, interval: 500 })
  key = /log opened with key (\S+)/.exec(logged.join('\n'))?.[1] ?? ''
}

/** Whether the medians of the audit's last day, which come last, are among the newest leaves. */
async function isLogged(): Promise<boolean> {
  const checkpoint = await (await fetch(`${service.url}/log/checkpoint`)).text()
  const size = Number(checkpoint.split('\n')[1])
  for (let index = size - 1; index >= Math.max(0, size - 60); index--) {
    const answer = await fetch(`${service.url}/log/leaves/${index}`, {
      headers: { accept: 'application/json' },
    })
    const leaf = JSON.parse(((await answer.json()) as { leaf: string }).leaf)
    if (leaf.kind === 'inputs' && leaf.date === date) return true
  }
  return false
}

/** Logs a decision at the end of the audit that no probe supports. */
async function lie(id: string, scoreVersion: string) {
  const { url: endpoint, host } = seller(id)
  const salt = Buffer.alloc(16, 7).toString('base64')
  const said = { verdict: 'avoid', score: 20, riskLevel: 'high', flags: ['payto_changed'], scoreVersion }
  const store = await openStore({ databaseUrl: null, dataDir })
  try {
    const leaf = writeLeaf(
      { kind: 'decision', at: `${date}T23:59:59.000Z`, receiverStability: 'changed', ...said },
      { salt, host, endpoint, terms: [] },
    )
    await store.write('addLeaves', [{ ...leaf, key: `decision ${endpoint}` }])
  } finally {
    await store.close()
  }
}

/** Serves the service with one probe changed, until the test ends. */
async function changeProbes(): Promise<string> {
  const server = createServer(async ({ url = '' }, response) => {
    const answer = await fetch(`${service.url}${url}`)
    const body = Buffer.from(await answer.arrayBuffer())
    const isDay = url.startsWith('/log/days/')
    response.writeHead(answer.status)
    response.end(isDay ? body.toString().replace('"outcome":"up"', '"outcome":"down"') : body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return `http://127.0.0.1:${address.port}`
}

const seller = (id: string) => {
  const handle = audited.economy.sellers[id]
  if (handle === undefined) throw new Error(`no such seller: ${id}`)
  return handle
}

function recompute(id: string, url = service.url) {
  const options = ['--service', url, '--key', key, '--date', date, '--json']
  return runServerCommand(['log', 'recompute', seller(id).url, ...options])
}

beforeAll(async () => {
  audited = await useService()
  folder = await mkdtemp(join(tmpdir(), 'touchstone-log-recompute-'))
  dataDir = join(folder, 'data')
  date = new Date(audited.economy.clock.now()).toISOString().slice(0, 10)
  const { url } = seller(LIED_ABOUT)
  const answer = await fetch(`${audited.service.url}/verify?endpoint=${encodeURIComponent(url)}`)
  const { scoreVersion } = (await answer.json()) as Verdict
  await copyData(audited, dataDir)
  await lie(LIED_ABOUT, scoreVersion)
  await startLater()
})
afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

type Result = {
  isEqual: boolean
  findings: { field: string; isEqual: boolean; stated: unknown; recomputed: unknown }[]
}

test.each(SELLERS)('default: the logged decision on %s follows from published probes', async (id) => {
  const { code, output, errors } = await recompute(id)
  const { findings, ...result }: Result = JSON.parse(output)
  expect(findings.filter(({ isEqual }) => !isEqual)).toEqual([])
  expect([code, errors]).toEqual([0, ''])
  expect(result).toMatchObject({ isEqual: true })
  for (const field of ['verdict', 'score', 'terms'])
    expect(findings).toContainEqual(expect.objectContaining({ field, isEqual: true }))
})

test('default: the command on the page of the log checks the log', async () => {
  const page = await (await fetch(`${service.url}/log`, { headers: { accept: 'text/html' } })).text()
  const [, command = ''] = /<code>npx @touchstone402\/guard (log follow [^<]*)<\/code>/.exec(page) ?? []
  const words = command.replace(audited.service.url, service.url).replaceAll("'", '').split(' ')
  expect(words).toContain(key)
  const home = { ...process.env, HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder }
  const { stdout } = await promisify(execFile)(process.execPath, [GUARD_CLI, ...words], {
    env: home,
    cwd: folder,
  })
  expect(stdout).toMatch(/: \d+ leaves, \d+ of them new, nothing before changed/)
})

test('default: how the verdicts of the first day held is counted from the log as the report states it', async () => {
  const reports = await (await fetch(`${service.url}/reports.json?since=2000-01-01`)).json()
  const counted = (reports as ReportFeed).series.flatMap(({ accuracy }) => accuracy?.outcomes ?? [])
  const first = counted.find(({ afterDays }) => afterDays === 1)?.date
  const options = ['--date', `${first}`, '--service', service.url, '--key', key, '--json']
  const { code, output, errors } = await runServerCommand(['log', 'recompute', 'accuracy', ...options])
  const { outcomes, ...result } = JSON.parse(output)
  expect(outcomes.filter(({ isEqual }: { isEqual: boolean }) => !isEqual)).toEqual([])
  expect([code, errors]).toEqual([0, ''])
  expect(result).toMatchObject({ isEqual: true, date: first, deliveries: null })
  const groups = outcomes.map(({ group }: { group: string }) => group.split(' ')[0])
  expect(groups).toEqual(expect.arrayContaining(['safe', 'avoid']))
})

test('behavior: a logged decision that the probes do not support is different', async () => {
  const { code, output } = await recompute(LIED_ABOUT)
  const { findings, isEqual }: Result = JSON.parse(output)
  expect([code, isEqual]).toEqual([1, false])
  const different = findings.filter((finding) => !finding.isEqual).map(({ field }) => field)
  expect(different).toEqual(expect.arrayContaining(['verdict', 'score', 'terms', 'flags.payto_changed']))
})

test('behavior: a service that serves other probes than it logged is refused', async () => {
  const { code, output } = await recompute('honest-v2', await changeProbes())
  expect(code).toBe(1)
  expect(JSON.parse(output)).toMatchObject({ isEqual: false, code: 'not_included' })
})
