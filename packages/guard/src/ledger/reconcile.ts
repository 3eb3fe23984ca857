import { isRecord } from '@touchstone402/shared'
import { readBody } from '../readBody.ts'
import type { FetchLike } from '../types.ts'
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
}

/**
 * Numbers of pending payments that were settled, expired unused, or are still open.
 * @example
 * const isDone = ({ open }: Reconciled) => open === 0
 */
export type Reconciled = { settled: number; unused: number; open: number }

// keccak256('authorizationState(address,bytes32)'). Source: EIP-3009.
const AUTHORIZATION_STATE = '0xe94a0102'
const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 10_000

/**
 * Resolves pending payments by on-chain state and releases amounts that can no longer be spent.
 *
 * An authorization is unused if a finalized block later than its `validBefore` shows its nonce unused.
 * Payments stay open if the RPC fails, lags or sends an invalid answer.
 * @example
 * await reconcileLedger(guard.ledger, { rpcUrls: { 'eip155:8453': 'https://mainnet.base.org' } })
 */
export async function reconcileLedger(ledger: Ledger, options: ReconcileOptions): Promise<Reconciled> {
  await ledger.refresh()
  const result: Reconciled = { settled: 0, unused: 0, open: 0 }
  for (const entry of ledger.pending()) {
    const url = options.rpcUrls[entry.network]
    const state = url === undefined ? 'open' : await askChain(url, entry, options.fetch ?? globalThis.fetch)
    if (state === 'settled') await ledger.update(entry.id, { state: 'committed', transaction: null })
    if (state === 'unused') await ledger.update(entry.id, { state: 'unused' })
    result[state] += 1
  }
  return result
}

async function askChain(
  url: string,
  { authorization, asset }: LedgerEntry,
  fetch: FetchLike,
): Promise<keyof Reconciled> {
  if (authorization === null) return 'open'
  try {
    const block = await call(url, fetch, 'eth_getBlockByNumber', ['finalized', false])
    const number = quantityOf(block, 'number')
    const timestamp = quantityOf(block, 'timestamp')
    const { from, nonce, validBefore } = authorization
    const data = `${AUTHORIZATION_STATE}${from.slice(2).padStart(64, '0')}${nonce.slice(2)}`
    const used = await call(url, fetch, 'eth_call', [{ to: asset, data }, `0x${number.toString(16)}`])
    if (used === `0x${'1'.padStart(64, '0')}`) return 'settled'
    const isUnused = used === `0x${'0'.repeat(64)}`
    return isUnused && timestamp > BigInt(validBefore) ? 'unused' : 'open'
  } catch {
    return 'open'
  }
}

async function call(url: string, fetch: FetchLike, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return JSON.parse(await readBody(response, MAX_BYTES, TIMEOUT_MS)).result
}

function quantityOf(block: unknown, field: string): bigint {
  const value = isRecord(block) ? block[field] : undefined
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,16}$/.test(value))
    throw new Error(`${field} is not a quantity.`)
  return BigInt(value)
}
