import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@touchstone402/server/testing'
import { formatSignerKey, verifierKeyOf } from '@touchstone402/shared/notes'
import { expect, onTestFinished, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { useMarket } from './support/market.ts'
import { ALONE, economySettings } from './support/settings.ts'
import { signFor } from './support/sign.ts'
import { startServer } from './support/startServer.ts'

checksNoAnswers('the service is another process')

const market = useMarket()

/** Starts a socket that accepts and never answers, as an RPC or a seller that hangs. */
async function startSilence() {
  let calls = 0
  const server = createServer((socket) => {
    calls += 1
    socket.on('error', () => {}).resume()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}`, calls: () => calls }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Starts a proxy to the facilitator that waits before each answer of a step. */
async function startSlowFacilitator(delays: { verify?: number; settle?: number }) {
  const asked: string[] = []
  const server = createHttpServer(async (request, response) => {
    const step = request.url?.slice(1) ?? ''
    asked.push(step)
    const body = await readAll(request)
    await sleep(delays[step as 'verify'] ?? 0, undefined, { ref: false })
    const method = request.method ?? 'GET'
    const answer = await fetch(`${market.economy.facilitator.url}/${step}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'POST' && { body: body.toString() }),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const HANGS = 600_000

/** Starts a service whose RPC and seller hang, with a client that never finishes its request. */
async function startHanging(delays: { verify?: number; settle?: number }, settings: Record<string, string>) {
  const [folder, rpc, seller] = [
    await mkdtemp(join(tmpdir(), 'touchstone-stop-')),
    await startSilence(),
    await startSilence(),
  ]
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'list.txt'), `${seller.url}/weather\n`)
  const facilitator = await startSlowFacilitator(delays)
  const service = await startServer([], {
    ...economySettings(market.economy),
    FACILITATOR_URL: facilitator.url,
    RPC_URLS: rpc.url,
    DATA_DIR: join(folder, 'data'),
    DIRECTORIES: `file=${join(folder, 'list.txt')}`,
    DEVELOPMENT_ALLOW_HOSTS: seller.host,
    WARM_TOKENS: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    ...settings,
  })
  const { hostname, port } = new URL(service.url)
  const slow = connect(Number(port), hostname).on('error', () => {})
  slow.write('GET /verify HTTP/1.1\r\nHost: a\r\n')
  onTestFinished(() => void slow.destroy())
  await expect.poll(() => Math.min(rpc.calls(), seller.calls()), { timeout: 20_000 }).toBeGreaterThan(0)
  const { headers } = await signFor(`${service.url}/trust`, market.bot(), 2)
  const paid = fetch(`${service.url}/trust`, { headers })
  paid.catch(() => {})
  return { ...service, paid, asked: facilitator.asked }
}

test('default: SIGTERM refuses new paid calls, finishes the accepted one and ends in time', async () => {
  const { url, paid, asked, signal, end, text } = await startHanging({ settle: 4000 }, { STOP_SECONDS: '12' })
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
  const { code, ms } = await end()
  expect(text()).not.toMatch(/"level":"warn","time":[^}]*(probe of|chain:|crawl)/)
  expect(code).toBe(0)
  expect(ms).toBeLessThan(12_000)
}, 60_000)

test('behavior: a settlement that hangs is left to reconciliation when the time is over', async () => {
  const { paid, asked, signal, end, text } = await startHanging({ settle: HANGS }, { STOP_SECONDS: '6' })
  await expect.poll(() => asked).toContain('settle')
  signal()
  await expect(paid).rejects.toThrow()
  const { code, ms } = await end()
  expect(text()).toContain('1 paid calls cut during settlement: reconciliation ends them')
  expect([code, ms < 6000]).toEqual([0, true])
}, 60_000)

test('behavior: exits with 1 if an accepted call had to be cut before its answer', async () => {
  const { paid, asked, signal, end, text } = await startHanging({ verify: HANGS }, { STOP_SECONDS: '6' })
  await expect.poll(() => asked).toContain('verify')
  signal('SIGINT')
  await expect(paid).rejects.toThrow()
  const { code, ms } = await end()
  expect(text()).toContain('ended by STOP_SECONDS: 1 paid calls cut before their answer, uncharged')
  expect([code, ms < 6000]).toEqual([1, true])
}, 60_000)

test('behavior: a second signal ends the process now; the same one, passed on by a parent, does not', async () => {
  const { asked, paid, signal, end } = await startHanging({ settle: HANGS }, {})
  await expect.poll(() => asked).toContain('settle')
  signal()
  signal('SIGINT')
  await sleep(1500)
  const before = performance.now()
  signal('SIGINT')
  const { code } = await end()
  expect([code, performance.now() - before < 1000]).toEqual([1, true])
  await expect(paid).rejects.toThrow()
}, 60_000)

test('behavior: several processes stop together, and a second signal ends them all', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const [dataDir, rpc] = [await mkdtemp(join(tmpdir(), 'touchstone-stop-')), await startSilence()]
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const settings = { ...ALONE, DATABASE_URL: postgres.url, DATA_DIR: dataDir, RPC_URLS: rpc.url }
  const proc = (path: string) => readFile(`/proc/${path}`, 'utf8').catch(() => '')
  /** Lists those that run; what has ended may wait for its parent. */
  const listRunning = async (pids: readonly string[]) => {
    const states = await Promise.all(
      pids.map(async (pid) => /^State:\t(\w)/m.exec(await proc(`${pid}/status`))?.[1]),
    )
    return states.filter((state) => state !== undefined && state !== 'Z')
  }
  const start = async (seconds: string) => {
    const service = await startServer(['--processes', '2'], { ...settings, STOP_SECONDS: seconds })
    await expect
      .poll(() => service.text().match(/"event":"(listening|working)"/g)?.length, { timeout: 20_000 })
      .toBe(3)
    const children = (await proc(`${service.pid}/task/${service.pid}/children`)).trim().split(' ')
    expect(children).toHaveLength(3)
    return { ...service, children }
  }
  const first = await start('6')
  first.signal()
  await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status).toBe(503)
  const { code, ms } = await first.end()
  expect([code, ms < 6000, await listRunning(first.children)]).toEqual([0, true, []])

  const second = await start('60')
  second.signal()
  await sleep(1000)
  second.signal()
  expect((await second.end()).code).toBe(1)
  await expect.poll(() => listRunning(second.children)).toEqual([])
}, 120_000)

test('behavior: a witness ends in time while a client is slow', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-stop-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const seed = new Uint8Array(32).fill(7)
  const witness = await startServer(['witness'], {
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
  const { code, ms } = await witness.end()
  expect([code, ms < 4000]).toEqual([0, true])
}, 30_000)
