import type { FetchLike } from '../types.ts'
import { type ChainState, createChain, OPEN, type ReadChain, readAuthorizationState } from './chain.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'

/**
 * Options of {@link reconcileLedger}.
 * @example
 * const options: ReconcileOptions = { rpcUrls: { 'eip155:8453': 'https://mainnet.base.org' } }
 */
export type ReconcileOptions = {
  /** RPC endpoints by CAIP-2 id. Payments on other networks are not resolved. */
  rpcUrls: Readonly<Record<string, string>>
  /** @default the global fetch */
  fetch?: FetchLike
  /** `createUpto()`, to resolve `upto` payments; without it they stay as they are. */
  upto?: { readChain: ReadChain }
}

/**
 * Numbers of pending payments that were settled, expired unused, or are still open.
 * @example
 * const isDone = ({ open }: Reconciled) => open === 0
 */
export type Reconciled = { settled: number; unused: number; open: number }

/**
 * Resolves pending payments by on-chain state and releases amounts that can no longer be spent.
 *
 * An authorization is unused if a finalized block later than its `validBefore` shows its nonce unused. An `upto` payment
 * that the chain shows as collected counts with the collected amount from then on.
 * Payments stay open if the RPC fails, lags or sends an invalid answer.
 * @example
 * await reconcileLedger(guard.ledger, { rpcUrls: { 'eip155:8453': 'https://mainnet.base.org' } })
 */
export async function reconcileLedger(ledger: Ledger, options: ReconcileOptions): Promise<Reconciled> {
  await ledger.refresh()
  const result: Reconciled = { settled: 0, unused: 0, open: 0 }
  const readers = { exact: { readChain: readAuthorizationState }, upto: options.upto }
  for (const entry of ledger.pending()) {
    const fetch = options.fetch ?? globalThis.fetch
    const found = await askChain(options.rpcUrls[entry.network], entry, readers, fetch)
    if (found.state === 'settled') await ledger.update(entry.id, toUpdate(found))
    if (found.state === 'unused') await ledger.update(entry.id, { state: 'unused' })
    result[found.state] += 1
  }
  return result
}

/** Reads the state of payments by their scheme; without a reader they stay open. */
type ChainReaders = { exact: { readChain: ReadChain }; upto?: { readChain: ReadChain } | undefined }

/**
 * Reads the state of a payment's authorization at the last finalized block. Never rejects.
 * @param url RPC endpoint of the payment's network; open without one
 */
export async function askChain(
  url: string | undefined,
  entry: LedgerEntry,
  readers: ChainReaders,
  fetch: FetchLike,
): Promise<ChainState> {
  const { scheme = 'exact' } = entry
  const reader = scheme === 'tempo' ? undefined : readers[scheme]
  if (url === undefined || reader === undefined) return OPEN
  return reader.readChain(createChain(url, fetch), entry).catch(() => OPEN)
}

/** Returns the update for a payment that the chain shows as collected. */
export function toUpdate({ transaction, amountAtomic }: ChainState) {
  const amount = amountAtomic === undefined ? {} : { amountAtomic }
  return { state: 'committed', transaction, ...amount } as const
}
