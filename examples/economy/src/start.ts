import { startChain } from './chain/startChain.ts'
import { createClock } from './clock.ts'
import { listBazaar } from './directories/bazaar.ts'
import { listIndex402 } from './directories/index402.ts'
import type { DirectoryContext } from './directories/listed.ts'
import { answerMcpRegistry } from './directories/mcpRegistry.ts'
import { createFacilitator } from './facilitator.ts'
import { openNamedHosts, openPortHosts } from './hostServer.ts'
import { listen, readTarget, sendJson } from './http.ts'
import { createFetch, lookup } from './network.ts'
import { openSellers } from './openSellers.ts'
import { allSellers } from './sellers/index.ts'
import { usdcAtomic } from './sellers/terms.ts'
import type { Economy, StartOptions } from './types.ts'
import { WALLET_INDEX, walletAt } from './wallets.ts'

const WALLET_FUNDS = usdcAtomic('100')

/**
 * Starts a complete x402 economy on loopback: chain, facilitator, directories and sellers.
 * @throws if a part cannot start, after stopping the others.
 */
export async function start(options: StartOptions = {}): Promise<Economy> {
  const progress = options.onProgress ?? (() => {})
  const specs = options.sellers ?? allSellers
  const startedAt = Date.now()
  const cleanups: (() => Promise<void> | void)[] = []
  let stopping: Promise<void> | undefined
  const stop = () => {
    // Last in, first out, so that no part calls one that has stopped.
    stopping ??= (async () => {
      for (const cleanup of cleanups.reverse()) await cleanup()
    })()
    return stopping
  }
  const keep = <T>(part: T, cleanup: (part: T) => Promise<void> | void): T => {
    cleanups.push(() => cleanup(part))
    return part
  }

  try {
    const clock = keep(createClock({ mode: options.clock ?? 'fast' }), (part) => part.stop())
    const client = keep(createFetch(), (part) => part.close())
    const wallets = {
      bots: WALLET_INDEX.bots.map(walletAt),
      service: walletAt(WALLET_INDEX.service),
      shopper: walletAt(WALLET_INDEX.shopper),
    }
    const { stop: stopChain, ...chain } = await startChain({
      receivers: specs.map(({ receiver, priceUsd }) => ({
        address: walletAt(receiver.index).address,
        past: receiver.past,
        amountAtomic: usdcAtomic(priceUsd),
      })),
      funded: [...wallets.bots, wallets.shopper].map(({ address }) => ({
        address,
        amountAtomic: WALLET_FUNDS,
      })),
      ...(options.historyBlocks === undefined ? {} : { historyBlocks: options.historyBlocks }),
      state: options.chainState,
    })
    cleanups.push(stopChain)
    progress(
      `chain ${chain.chainId} at ${chain.rpcUrl}, ${await chain.publicClient.getBlockNumber()} blocks of history`,
    )

    const facilitator = createFacilitator({
      rpcUrl: chain.rpcUrl,
      publicClient: chain.publicClient,
      account: walletAt(WALLET_INDEX.facilitator),
    })
    // Filled once the sellers are open. Both directories read it at each request.
    let directory: DirectoryContext = { listed: [], clock, startedAt }
    const facilitatorServer = keep(
      await listen((request, response) => {
        if (facilitator.handle(request, response)) return
        const { pathname, query } = readTarget(request)
        if (request.method !== 'GET' || pathname !== '/discovery/resources') {
          return sendJson(response, 404, { error: 'not found' })
        }
        sendJson(response, 200, listBazaar(directory, query))
      }, clock.hold),
      (server) => server.close(),
    )
    progress(`facilitator and bazaar at ${facilitatorServer.url}`)
    const indexServer = keep(
      await listen((request, response) => {
        const { pathname, query } = readTarget(request)
        if (request.method !== 'GET' || pathname !== '/api/v1/services') {
          return sendJson(response, 404, { error: 'not found' })
        }
        sendJson(response, 200, listIndex402(directory, query))
      }, clock.hold),
      (server) => server.close(),
    )
    progress(`402 index at ${indexServer.url}`)

    const mcpServer = keep(
      await listen((request, response) => {
        const { pathname } = readTarget(request)
        const context = { host: request.headers.host ?? '', clock, startedAt }
        const answer = request.method === 'GET' ? answerMcpRegistry(context, pathname) : undefined
        sendJson(response, answer === undefined ? 404 : 200, answer ?? { error: 'not found' })
      }, clock.hold),
      (server) => server.close(),
    )
    progress(`MCP and npm registry at ${mcpServer.url}`)

    const openHosts = options.hosts === 'ports' ? openPortHosts : openNamedHosts
    const hosts = keep(await openHosts(clock.hold, options.sellerPort), (part) => part.close())
    const handles = await openSellers(specs, {
      hosts,
      clock,
      startedAt,
      facilitatorUrl: facilitatorServer.url,
    })
    directory = {
      ...directory,
      listed: handles.map(({ spec, url }) => ({
        spec,
        url,
        receiver: walletAt(spec.receiver.index).address,
      })),
    }
    const ports = [...new Set(handles.map(({ host }) => new URL(`http://${host}`).port))]
    progress(`${handles.length} sellers on ${ports.length === 1 ? `port ${ports[0]}` : 'a port each'}`)

    return {
      chain,
      facilitator: { url: facilitatorServer.url, faults: facilitator.faults },
      directories: { bazaarUrl: facilitatorServer.url, index402Url: indexServer.url, mcpUrl: mcpServer.url },
      clock,
      lookup,
      allowedHosts: ports.map((port) => `127.0.0.1:${port}`),
      allowedOrigins: [
        chain.rpcUrl,
        facilitatorServer.url,
        indexServer.url,
        mcpServer.url,
        ...handles.map(({ host }) => `http://${host}`),
      ],
      fetch: client.fetch,
      wallets,
      sellers: Object.fromEntries(handles.map((handle) => [handle.id, handle])),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
