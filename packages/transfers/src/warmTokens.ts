import { setTimeout as sleep } from 'node:timers/promises'
import { FLOW_ROWS, measureFlow } from './figures/flowFigures.ts'
import { selectWhales } from './figures/whales.ts'
import type { Address, TransferSource } from './types.ts'

/** Keeps the windows of some tokens in the cache, so that a typical query needs two RPC calls. */
export type TokenWarmer = {
  /** Reads the new transfers of every token. A token that fails is retried at the next refresh. */
  refresh(): Promise<void>
  start(): void
  /** Stops and waits for the read in progress. */
  stop(): Promise<void>
}

/** Options of the token warmer. */
export type TokenWarmerOptions = {
  readonly source: TransferSource
  readonly tokens: readonly Address[]
  /** Length of the window in seconds. */
  readonly windowSeconds: number
  readonly onError?: (token: Address, error: unknown) => void
}

/** Pause between refreshes. */
const REFRESH_EVERY_MS = 15_000
/** Factor of addresses beyond those `/flow` lists: the next ones may be listed a minute later. */
const AHEAD = 4

/** Creates a token warmer. It reads tokens sequentially, so that it never crowds out paid queries. */
export function createTokenWarmer(options: TokenWarmerOptions): TokenWarmer {
  const { source, tokens, windowSeconds, onError } = options
  const stopped = new AbortController()
  const { signal } = stopped
  let running: Promise<void> | null = null

  const warm = async (token: Address): Promise<void> => {
    const { decimals } = await source.token(token, { signal })
    const heads = await source.heads({ signal, fresh: true })
    const start = await source.firstBlockAfter(heads.latest.time - windowSeconds, heads, { signal })
    const range = { fromBlock: start.number, toBlock: heads.latest.number }
    const { columns } = await source.transfers({ token, ...range, heads, signal })
    const { accumulators, distributors } = measureFlow(columns, FLOW_ROWS * AHEAD)
    const { addresses } = selectWhales(columns, decimals, undefined)
    const shown = [...accumulators, ...distributors].map(({ address }) => address)
    // Looks up the addresses that answers show in advance, which saves the next query a request.
    await source.contracts([...shown, ...addresses], { signal })
  }
  const refresh = async (): Promise<void> => {
    for (const token of tokens) {
      if (signal.aborted) return
      await warm(token).catch((error: unknown) => {
        if (!signal.aborted) onError?.(token, error)
      })
    }
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await refresh()
      await sleep(REFRESH_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  return {
    refresh,
    start() {
      running ??= run()
    },
    async stop() {
      stopped.abort()
      await running
    },
  }
}
