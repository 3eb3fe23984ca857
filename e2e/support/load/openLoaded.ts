import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sendLoad } from './client.ts'
import { fillFolder } from './fill.ts'
import { type ServerProcess, startServer, waitFor } from './processes.ts'

const SERVICE = fileURLToPath(new URL('./service.ts', import.meta.url))
/** Simulated response time of sellers. Random, so that probes do not finish in lockstep. */
const SELLER_MS = { least: 100, most: 300 }
const CHALLENGE = JSON.stringify({
  x402Version: 1,
  error: 'payment required',
  accepts: [
    {
      scheme: 'exact',
      network: 'base',
      maxAmountRequired: '10000',
      resource: 'https://seller.example/quote',
      description: 'A quote',
      mimeType: 'application/json',
      payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      maxTimeoutSeconds: 60,
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      extra: { name: 'USD Coin', version: '2' },
    },
  ],
})

/** The service with many endpoints in its data folder, and their sellers. */
export type LoadedService = ServerProcess & {
  readonly urls: readonly string[]
  /** Waits until it has read its directories and signed every verdict. */
  warmUp(): Promise<void>
  /** Makes all endpoints due and waits until the crawl has started. */
  beginCrawl(): Promise<void>
}

const SIX_HOURS = 6 * 3_600_000 + 60_000
/** Probes after which the one-time work of a crawl is done. */
const UNDER_WAY = 100

/** Returns the request target for the verdict of an endpoint. */
export const verifyPath = (url: string) => `/verify?endpoint=${encodeURIComponent(url)}`

/** Starts the service. All endpoints are due six hours later by its clock. */
export async function openLoaded(endpoints: number, isPinned: boolean): Promise<LoadedService> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-load-'))
  const sellers = createServer((request, response) => {
    const isEndpoint = request.url?.startsWith('/v1/')
    setTimeout(
      () => {
        if (isEndpoint) response.writeHead(402, { 'content-type': 'application/json' }).end(CHALLENGE)
        else response.writeHead(404).end()
      },
      randomInt(SELLER_MS.least, SELLER_MS.most),
    )
  })
  await new Promise<void>((resolve) => sellers.listen(0, '127.0.0.1', resolve))
  const { port } = sellers.address() as AddressInfo
  const urls = await fillFolder(directory, endpoints, port)
  // Nothing listens there: the measured calls need neither.
  const nobody = 'http://127.0.0.1:1'
  const service = await startServer(
    SERVICE,
    {
      PUBLIC_URL: 'https://trust.example',
      PORT: '0',
      // Where no receiver is read from chain, so that no probe waits for an RPC.
      NETWORK: 'eip155:84532',
      RPC_URLS: nobody,
      FACILITATOR_URL: nobody,
      PAY_TO: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      DIRECTORIES: 'file=/dev/null',
      DEVELOPMENT_ALLOW_HOSTS: `127.0.0.1:${port}`,
      DATA_DIR: directory,
      RATE_LIMIT_PER_MINUTE: '100000000',
    },
    isPinned,
  )
  return {
    ...service,
    urls,
    async warmUp() {
      await waitFor(service, ({ discoveries }) => discoveries > 0)
      const paths = urls.map(verifyPath)
      const nextPath = () => paths.pop() ?? '/healthz'
      while (paths.length > 0) await sendLoad({ origin: service.origin, nextPath, durationMs: 1000 })
    },
    async beginCrawl() {
      await service.measure(SIX_HOURS)
      await waitFor(service, ({ looks }) => looks >= UNDER_WAY)
    },
    async stop() {
      await service.stop()
      sellers.close()
      sellers.closeAllConnections()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
