import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { startBuiltServer } from './builtServer.ts'
import type { Market } from './market.ts'
import { economySettings } from './settings.ts'
import { signFor } from './sign.ts'

/** Starts a socket that accepts and never answers, as an RPC or a seller that hangs. */
export async function startSilence() {
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
async function startSlowFacilitator(market: Market, delays: { verify?: number; settle?: number }) {
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

/** Longer than any test. */
export const HANGS = 600_000

/** Starts a service whose RPC and seller hang, with a client that never finishes its request. */
export async function startHanging(
  market: Market,
  delays: { verify?: number; settle?: number },
  settings: Record<string, string>,
) {
  const [folder, rpc, seller] = [
    await mkdtemp(join(tmpdir(), 'touchstone-stop-')),
    await startSilence(),
    await startSilence(),
  ]
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'list.txt'), `${seller.url}/weather\n`)
  const facilitator = await startSlowFacilitator(market, delays)
  const service = await startBuiltServer([], {
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
  await expect.poll(() => Math.min(rpc.calls(), seller.calls())).toBeGreaterThan(0)
  const { headers } = await signFor(`${service.url}/trust`, market.bot(), 2)
  const paid = fetch(`${service.url}/trust`, { headers })
  paid.catch(() => {})
  return { ...service, paid, asked: facilitator.asked }
}
