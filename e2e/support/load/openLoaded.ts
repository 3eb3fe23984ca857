import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '@touchstone402/server/testing'
import { hostNumber, putHosts, receiverOf } from '../manyHosts.ts'
import { offerOf, sendChallenge } from '../seller.ts'
import { serve } from '../serve.ts'
import { type ServerProcess, startServiceProcess, waitFor } from '../servers.ts'
import { ALONE } from '../settings.ts'
import { sendLoad } from './client.ts'

/** Simulated response time of sellers. Random, so that probes do not finish in lockstep. */
const SELLER_MS = { least: 100, most: 300 }

/** Endpoints per host. */
const EACH = 5

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

/** Opens the sellers of all hosts on one port. Their offers match the states of their hosts. */
export const openSellers = () =>
  serve(async (request, response) => {
    await sleep(randomInt(SELLER_MS.least, SELLER_MS.most))
    const receiver = receiverOf(hostNumber(request.headers.host ?? ''))
    if (request.url?.startsWith('/v1/')) sendChallenge(request, response, offerOf(receiver, '10000'))
    else response.writeHead(404).end()
  })

/**
 * Starts the service. All endpoints are due six hours later by its clock.
 * @param isWatched watches memory, which takes some time itself
 */
export async function openLoaded(
  endpoints: number,
  isPinned: boolean,
  { isWatched = false }: { readonly isWatched?: boolean } = {},
): Promise<LoadedService> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-load-'))
  const sellers = await openSellers()
  const { port } = sellers
  const urls = await fillFolder(directory, endpoints, port)
  const settings = { ...ALONE, DEVELOPMENT_ALLOW_HOSTS: `127.0.0.1:${port}`, DATA_DIR: directory }
  const options = { isPinned, isWatched, canJump: true, hasThreads: true, isOnLoopback: true }
  const service = await startServiceProcess(settings, options)
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
      await service.measure({ jumpMs: SIX_HOURS })
      await waitFor(service, ({ probes }) => probes >= UNDER_WAY)
    },
    async stop() {
      await service.stop()
      await sellers.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Fills a data folder with endpoints that were audited for a month and are due again in six hours.
 * @param port port that serves all of them
 * @returns their URLs
 */
async function fillFolder(directory: string, endpoints: number, port: number): Promise<string[]> {
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  try {
    return await putHosts(store, {
      hosts: endpoints / EACH,
      now: Date.now(),
      endpoints: EACH,
      originOf: (name) => `http://${name}:${port}`,
    })
  } finally {
    await store.close()
  }
}
