import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy } from '@touchstone402/economy'
import { openStore, readHead, readLeaves, readLogSize } from '@touchstone402/server/testing'
import { readLeaf, writeLeaf } from '@touchstone402/shared/leaves'
import { formatSignerKey, openCheckpoint, readLogPolicy, verifierKeyOf } from '@touchstone402/transparency'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { BIN } from './support/builtServer.ts'
import { startEconomy } from './support/economy.ts'
import { openDatabase } from './support/openDatabase.ts'
import { runServerCommand } from './support/runServerCommand.ts'

const OLD = 'trust.example/log'
const NEW = 'trust.example/log2'
const GUARD_CLI = fileURLToPath(new URL('../packages/guard/bin/touchstone.js', import.meta.url))

let folder: string
let economy: Economy
let witness: { child: ChildProcess; url: string; key: string }
let service: Service | undefined
let lines: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-log-begin-'))
  const sellers = allSellers.filter(({ id }) => id === 'honest-v2')
  economy = await startEconomy({ sellers, clock: 'real' })
})
afterAll(async () => {
  await service?.stop()
  witness?.child.kill('SIGKILL')
  await economy?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Starts the witness on its folder, with the keys of the logs that it cosigns. */
async function startWitness(...logKeys: string[]): Promise<void> {
  if (witness !== undefined) await stopWitness()
  const child = spawn(process.execPath, [BIN, 'witness'], {
    env: {
      PATH: process.env.PATH,
      WITNESS_LOGS: logKeys.join(','),
      WITNESS_NAME: 'witness.example',
      WITNESS_DATA_DIR: join(folder, 'witness'),
      WITNESS_PORT: witness === undefined ? '0' : new URL(witness.url).port,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, key, url] = /witness (\S+) listening at (http:[^\s"]+)/.exec(line) ?? []
    if (key === undefined || url === undefined) continue
    witness = { child, key, url }
    return
  }
  throw new Error('the witness ended before it listened')
}

async function stopWitness() {
  if (witness.child.exitCode !== null || witness.child.signalCode !== null) return
  const gone = once(witness.child, 'exit')
  witness.child.kill('SIGKILL')
  await gone
}

const witnessSetting = () => ({ LOG_WITNESSES: `${witness.url} ${witness.key}` })

async function startOn(dataDir: string): Promise<Service> {
  lines = []
  service = await startService(economy, {
    settings: { PORT: '0', DATA_DIR: dataDir, LOG_INTERVAL_SECONDS: '1', ...witnessSetting() },
    log: (_, text) => void lines.push(text),
  })
  return service
}

async function stopService() {
  await service?.stop()
  service = undefined
}

/** Opens the published checkpoint under the keys of log and witness; undefined unless both signed it. */
async function readCheckpoint(key: string) {
  const response = await fetch(`${service?.url}/log/checkpoint`)
  const policy = readLogPolicy({ key, witnesses: [witness.key], quorum: 1 })
  return response.status === 200
    ? openCheckpoint(await response.text(), policy, Date.now()).catch(() => undefined)
    : undefined
}

/** Waits until a checkpoint of a size is cosigned. */
const untilSize = (key: string, size: number) =>
  vi.waitUntil(async () => ((await readCheckpoint(key))?.size ?? 0) >= size, {
    timeout: 60_000,
    interval: 300,
  })

/** Writes leaves beside the running service. */
async function addLeaves(dataDir: string, versions: number[]) {
  const store = await openStore({ databaseUrl: null, dataDir, isBeside: true })
  await store.write(
    'addLeaves',
    versions.map((version) => ({
      ...writeLeaf({ kind: 'map', at: '2026-01-31T12:00:00.000Z', version, sha256: 'ab' }, null),
      key: `test map ${version}`,
    })),
  )
  await store.close()
}

async function follow(key: string) {
  const args = ['log', 'follow', '--service', service?.url ?? '', '--key', key, '--witness', witness.key]
  const child = spawn(process.execPath, [GUARD_CLI, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
  })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => void chunks.push(String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text: chunks.join('') }
}

test('default: after an older back-up nothing is signed until another log begins', async () => {
  const signerKey = await formatSignerKey(OLD, new Uint8Array(32).fill(1))
  const oldKey = await verifierKeyOf(signerKey)
  const first = join(folder, 'first')
  await mkdir(first)
  await writeFile(join(first, 'log-key'), signerKey, { mode: 0o600 })
  await startWitness(oldKey)

  await startOn(first)
  await addLeaves(first, [101])
  await untilSize(oldKey, 1)
  const backUp = join(folder, 'back-up.db')
  expect(await runServerCommand(['backup', backUp], { DATA_DIR: first })).toMatchObject({ code: 0 })
  const saved = (await readCheckpoint(oldKey))?.size ?? 0
  await addLeaves(first, [102, 103, 104])
  await untilSize(oldKey, saved + 3)
  // Old readers have it saved.
  expect(await follow(oldKey)).toMatchObject({ code: 0 })
  const last = (await readCheckpoint(oldKey))?.size ?? 0
  const running = await runServerCommand(['log', 'begin', NEW], { DATA_DIR: first, ...witnessSetting() })
  expect([running.code, running.errors]).toEqual([
    1,
    expect.stringContaining('Another service uses this data folder'),
  ])
  await stopService()

  const second = join(folder, 'second')
  await mkdir(second)
  for (const name of ['log-key', 'signing-keys.json']) await cp(join(first, name), join(second, name))
  const restored = await runServerCommand(['restore', backUp], { DATA_DIR: second })
  expect([restored.code, restored.errors]).toEqual([0, ''])
  expect(restored.output).toMatch(/- log: it has \d+ leaves; trust\.example\/log signed/)

  await startOn(second)
  const refusal = /witness witness\.example cosigned \d+ leaves that the store does not continue.*log begin/
  await vi.waitUntil(() => lines.some((line) => refusal.test(line)), { timeout: 30_000, interval: 200 })
  await wait(2_500)
  const stale = await (await fetch(`${service?.url}/log/checkpoint`)).text()
  expect(Number(stale.split('\n')[1])).toBeLessThan(last)
  const held = await fetch(`${witness.url}/`).then((response) => response.status)
  expect(held).toBe(200)
  await stopService()

  await stopWitness()
  const alone = await runServerCommand(['log', 'begin', NEW], { DATA_DIR: second, ...witnessSetting() })
  expect(alone).toMatchObject({
    code: 1,
    errors: expect.stringContaining('cannot be asked for its newest checkpoint'),
  })
  await startWitness(oldKey)

  const begun = await beginUnderKills(second)
  const [, newKey = ''] = /Its key is (\S+)/.exec(begun) ?? []
  expect(newKey.startsWith(`${NEW}+`)).toBe(true)
  expect(begun).toContain(`newest known checkpoint of ${OLD}: ${last} leaves`)

  await startWitness(oldKey, newKey)
  await startOn(second)
  await untilSize(newKey, 2)
  const answer = await fetch(`${service?.url}/log/leaves/0`, { headers: { accept: 'application/json' } })
  const { leaf } = (await answer.json()) as { leaf: string }
  const { kind, use, key, previous } = readLeaf(Buffer.from(leaf))
  expect({ kind, use, key }).toEqual({ kind: 'key', use: 'log', key: newKey })
  const oldPolicy = readLogPolicy({ key: oldKey, witnesses: [witness.key], quorum: 1 })
  expect(await openCheckpoint(`${previous}`, oldPolicy, Date.now())).toMatchObject({
    origin: OLD,
    size: last,
  })
  expect(await follow(newKey)).toMatchObject({
    code: 0,
    text: expect.stringContaining('nothing before changed'),
  })
  const old = await follow(oldKey)
  expect(old.code).not.toBe(0)
  expect(old.text).toContain(`wrong_origin: expected a checkpoint of ${OLD}, got one of ${NEW}`)
  expect(await (await fetch(`${service?.url}/log`, { headers: { accept: 'text/html' } })).text()).toContain(
    OLD,
  )
  await stopService()
})

/** Begins the log on copies of a folder that are killed at random moments, then on the folder itself, until it reports success. */
async function beginUnderKills(dataDir: string): Promise<string> {
  const settings = { DATA_DIR: dataDir, ...witnessSetting() }
  // Each step is killed at in `runLogBegin.test.ts`; these are the real process.
  for (let kill = 0; kill < 2; kill++) {
    const copy = join(folder, `killed-${kill}`)
    await cp(dataDir, copy, { recursive: true })
    const child = spawn(process.execPath, [BIN, 'log', 'begin', NEW], {
      env: { PATH: process.env.PATH, ...settings, DATA_DIR: copy },
      stdio: 'ignore',
    })
    const gone = once(child, 'exit')
    await Promise.race([gone, wait(300 + kill * 240 + Math.random() * 240)])
    child.kill('SIGKILL')
    await gone
    const again = await runServerCommand(['log', 'begin', NEW], { ...settings, DATA_DIR: copy })
    expect(again).toMatchObject({ code: 0, output: expect.stringMatching(/has begun/) })
    const store = await openStore({ databaseUrl: null, dataDir: copy })
    const [entry] = await readLeaves(store, 0, 1)
    expect([await readHead(store), readLeaf(Buffer.from(entry?.leaf ?? '')).previous]).toEqual([
      null,
      expect.stringContaining(OLD),
    ])
    await store.close()
  }
  const { code, output, errors } = await runServerCommand(['log', 'begin', NEW], settings)
  expect([code, errors]).toEqual([0, ''])
  return output
}

test('behavior: another log begins on PostgreSQL, while no process leads', { timeout: 180_000 }, async () => {
  const databaseUrl = await openDatabase()
  const dataDir = join(folder, 'postgres')
  await mkdir(dataDir)
  const signerKey = await formatSignerKey(OLD, new Uint8Array(32).fill(1))
  await writeFile(join(dataDir, 'log-key'), signerKey, { mode: 0o600 })
  const settings = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl }
  const store = await openStore({ databaseUrl, dataDir })
  onTestFinished(() => store.close())
  await store.write('addLeaves', [
    { ...writeLeaf({ kind: 'map', at: '2026-01-31T12:00:00.000Z', version: 1 }, null), key: 'a' },
  ])
  await store.write('sequenceLeaves', 9)
  const checkpoint = `${OLD}\n1\n${Buffer.alloc(32, 7).toString('base64')}\n`
  await store.write('putHead', {
    note: `${checkpoint}\n— ${OLD} ${Buffer.alloc(68, 1).toString('base64')}\n`,
    size: 1,
    at: 1,
  })
  const lease = await store.write('takeLease', ':leader')
  const led = await runServerCommand(['log', 'begin', NEW], settings)
  expect([led.code, led.errors]).toEqual([1, expect.stringContaining('a process leads the crawl')])
  if (lease !== null) await store.write('releaseLease', lease, Date.now())
  const begun = await runServerCommand(['log', 'begin', NEW], settings)
  expect([begun.code, begun.errors]).toEqual([0, ''])
  expect(begun.output).toContain('Copy the key file to every machine whose processes crawl.')
  // A root that is not that of the leaves.
  expect(begun.output).toContain('the store does not have it whole')
  expect([await readLogSize(store), await readHead(store)]).toEqual([1, null])
  const checked = await runServerCommand(['restore', '--check', '--new-keys'], settings)
  expect(checked.output).toContain('- log: it has 1 leaves; none is signed')
})
