import { readBody } from '../readBody.ts'
import type { FetchLike } from '../types.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'

/** Where chains are asked. */
export type ReconcileOptions = {
  /** RPC endpoints by CAIP-2 id; payments on other networks stay as they are. */
  rpcUrls: Readonly<Record<string, string>>
  /** @default the global fetch */
  fetch?: FetchLike
}

/** How many payments of unknown fate were settled after all, never used, or are still open. */
export type Reconciled = { settled: number; unused: number; open: number }

// keccak256('authorizationState(address,bytes32)'). Source: EIP-3009.
const AUTHORIZATION_STATE = '0xe94a0102'
const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 10_000

/**
 * Asks the chain about payments whose fate is not known, and frees what can no longer be spent.
 *
 * An authorization is dead when a finalized block later than its `validBefore` shows it unused; nothing else
 * releases one. An RPC that fails, lags or answers nonsense leaves everything as it is.
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
  const value: unknown = Reflect.get(Object(block), field)
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,16}$/.test(value)) throw new Error('No quantity.')
  return BigInt(value)
}
