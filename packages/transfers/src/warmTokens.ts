import { setTimeout as sleep } from 'node:timers/promises'
import { listShownAddresses } from './figures/shownAddresses.ts'
import type { Address, TransferSource } from './types.ts'

/** Keeps the windows of some tokens read, so that the common question needs two calls. */
export type TokenWarmer = {
  /** Reads what is new of every token once. A token that fails is left for the next time. */
  refresh(): Promise<void>
  start(): void
  /** Ends after the read under way. */
  stop(): Promise<void>
}

export type TokenWarmerOptions = {
  readonly source: TransferSource
  readonly tokens: readonly Address[]
  /** Seconds that are kept read. @default 3600 */
  readonly windowSeconds?: number
  /** Milliseconds between two refreshes. @default 15000 */
  readonly everyMs?: number
  readonly onError?: (token: Address, error: unknown) => void
}

/** Creates the warmer; tokens are read one after the other, so that it never crowds out paid questions. */
export const createTokenWarmer = (options: TokenWarmerOptions): TokenWarmer => {
  const { source, tokens, windowSeconds = 3600, everyMs = 15_000, onError } = options
  const stopped = new AbortController()
  const { signal } = stopped
  let running: Promise<void> | null = null

  const warm = async (token: Address): Promise<void> => {
    const { decimals } = await source.token(token, { signal })
    const heads = await source.heads({ signal, fresh: true })
    const start = await source.firstBlockAfter(heads.latest.time - windowSeconds, heads, { signal })
    const range = { fromBlock: start.number, toBlock: heads.latest.number }
    const { columns } = await source.transfers({ token, ...range, heads, signal })
    // What the answers will show is looked up ahead of the question: one call less for whoever asks.
    await source.contracts(listShownAddresses(columns, decimals), { signal })
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
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
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
