import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type LookupFunction, type Server, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach } from 'vitest'
import type { Prober, ProbeTarget } from '../../lib/prober.ts'
import { createProber, type ProberOptions } from '../createProber.ts'

/** Receiver of every test challenge. */
export const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
/** USDC on Base. */
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const terms = {
  scheme: 'exact',
  asset: USDC.toLowerCase(),
  payTo: RECEIVER.toLowerCase(),
  maxTimeoutSeconds: 60,
}

/** EIP-712 domain of USDC on Base. */
const DOMAIN = { name: 'USD Coin', version: '2' }

/** A v2 challenge for USDC on Base. */
export const challengeV2 = (extra: unknown = DOMAIN) => ({
  x402Version: 2,
  resource: { url: 'https://shop.test/quote?x=1' },
  accepts: [{ ...terms, network: 'eip155:8453', amount: '10000', extra }],
})

/** A v1 challenge for USDC on a network by its v1 name. */
export const challengeV1 = (network = 'base') => ({
  x402Version: 1,
  accepts: [{ ...terms, network, maxAmountRequired: '10000' }],
})

const cleanups: (() => unknown)[] = []

/** Stops everything a test started, after each test of the file. */
export function cleanUpAfterEach(): void {
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })
}

/** Listens on a free port of 127.0.0.1 until the test ends. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

/** Listens on a port whose accept queue is full, so that connecting to it times out. */
export async function listenDeaf(): Promise<number> {
  const script = `const { parentPort } = require('node:worker_threads')
    const server = require('node:net').createServer()
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    })`
  const worker = new Worker(script, { eval: true })
  cleanups.push(() => worker.terminate())
  const port = await new Promise<number>((resolve) => worker.once('message', resolve))
  await new Promise((resolve) => setTimeout(resolve, 50))
  for (let count = 0; count < 8; count++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    cleanups.push(() => socket.destroy())
  }
  return port
}

/** Serves HTTP on a free port. */
export const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener))

/** Resolves names below `.test` to 127.0.0.1; `again…` fails temporarily, all others do not exist. */
export const lookup: LookupFunction = (hostname, _options, callback) => {
  const code = hostname.startsWith('again') ? 'EAI_AGAIN' : 'ENOTFOUND'
  if (hostname.endsWith('.test')) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(Object.assign(new Error(hostname), { code }), [])
}

/** Starts a prober that may dial these ports on 127.0.0.1. @param byProgram as `createProber` takes it */
export function start(
  ports: readonly number[],
  options: Partial<ProberOptions> = {},
  byProgram?: Parameters<typeof createProber>[1],
): Prober {
  const allowPrivate = ports.map((port) => `127.0.0.1:${port}`)
  const contact = 'https://touchstone.test/methodology'
  const prober = createProber({ contact, lookup, allowPrivate, ca: [], ...options }, byProgram)
  cleanups.push(() => prober.close())
  return prober
}

/** Returns a GET probe by the first client, without declared input. */
export const target = (url: string, more: Partial<ProbeTarget> = {}): ProbeTarget => ({
  url,
  method: 'GET',
  body: null,
  declaresInput: false,
  client: 0,
  ...more,
})
