import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatSignerKey, verifierKeyOf } from '@touchstone402/transparency'
import { expect, onTestFinished, test } from 'vitest'
import { BIN, startBuiltServer } from './support/builtServer.ts'
import { HANGS, startHanging, startSilence } from './support/hangingService.ts'
import { useMarket } from './support/market.ts'
import { ALONE } from './support/settings.ts'

const market = useMarket()
/** Said by a process that did not end in time by itself. */
const CUT = 'ended by STOP_SECONDS'

test('default: SIGTERM refuses new paid calls, finishes the accepted one and ends in time', async () => {
  const { url, paid, asked, signal, end, text } = await startHanging(
    market,
    { settle: 4000 },
    { STOP_SECONDS: '12' },
  )
  await expect.poll(() => asked).toContain('settle')
  signal()
  const readiness = () => fetch(`${url}/readyz`)
  await expect.poll(async () => (await readiness()).status).toBe(503)
  expect(await (await readiness()).json()).toEqual({ status: 'stopping', checks: {} })
  for (const [path, init] of [['/trust', {}] as const, ['/scans', { method: 'POST' }] as const]) {
    const refused = await fetch(url + path, init)
    expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 503, '5'])
    expect(await refused.json()).toMatchObject({ code: 'stopping' })
  }
  expect((await fetch(`${url}/about`)).status).toBe(200)
  const answer = await paid
  expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ services: [] })])
  // The client that never finishes its request is refused meanwhile, or cut.
  const { code } = await end()
  expect(text()).not.toMatch(/"level":"warn","time":[^}]*"(probe|chain|crawl)[^"]* failed:/)
  expect(text()).not.toContain(CUT)
  expect(code).toBe(0)
}, 60_000)

test('behavior: a second signal ends the process now; the same one, passed on by a parent, does not', async () => {
  const { asked, paid, signal, end, text } = await startHanging(market, { settle: HANGS }, {})
  await expect.poll(() => asked).toContain('settle')
  signal()
  signal('SIGINT')
  await sleep(1500)
  expect(text()).not.toContain('ended by a second')
  signal('SIGINT')
  const { code } = await end()
  expect([code, text()]).toEqual([1, expect.stringContaining('ended by a second SIGINT')])
  await expect(paid).rejects.toThrow()
}, 60_000)

test('behavior: a witness ends in time while a client is slow', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-stop-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const seed = new Uint8Array(32).fill(7)
  const witness = await startBuiltServer(['witness'], {
    WITNESS_LOGS: await verifierKeyOf(await formatSignerKey('log.example', seed)),
    WITNESS_DATA_DIR: folder,
    WITNESS_PORT: '0',
    STOP_SECONDS: '4',
  })
  const { hostname, port } = new URL(witness.url)
  const slow = connect(Number(port), hostname).on('error', () => {})
  onTestFinished(() => void slow.destroy())
  slow.write('POST /add-checkpoint HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nold')
  await sleep(200)
  witness.signal()
  const { code } = await witness.end()
  expect([code, witness.text()]).toEqual([0, expect.not.stringContaining(CUT)])
}, 30_000)

test('behavior: a signal during the start of a witness ends it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-stop-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const book = join(folder, 'witness-book.json')
  execFileSync('mkfifo', [book])
  const child = spawn(process.execPath, [BIN, 'witness'], {
    env: {
      PATH: process.env.PATH,
      WITNESS_LOGS: await verifierKeyOf(await formatSignerKey('log.example', new Uint8Array(32).fill(7))),
      WITNESS_DATA_DIR: folder,
      WITNESS_PORT: '0',
    },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  // Opens as soon as the witness reads its book, which waits for a text.
  const pipe = await open(book, 'w')
  child.kill('SIGTERM')
  await sleep(500)
  await pipe.close()
  expect(await ended).toEqual([0, null])
}, 30_000)

test('behavior: a signal during the start ends it, with nothing lost', async () => {
  const [dataDir, silence] = [await mkdtemp(join(tmpdir(), 'touchstone-stop-')), await startSilence()]
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const child = spawn(process.execPath, ['node_modules/@touchstone402/server/bin/touchstone-server.js'], {
    cwd: new URL('.', import.meta.url),
    env: { PATH: process.env.PATH, ...ALONE, FACILITATOR_URL: silence.url, DATA_DIR: dataDir },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  // The start waits for the facilitator now.
  await expect.poll(silence.calls).toBeGreaterThan(0)
  child.kill('SIGTERM')
  // A start that waited for the facilitator to time out would fail.
  expect(await ended).toEqual([0, null])
})
