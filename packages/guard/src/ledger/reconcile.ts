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
// keccak256('AuthorizationUsed(address,bytes32)'). Source: EIP-3009.
const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'
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
    const open = { state: 'open', transaction: null } as const
    const { state, transaction } =
      url === undefined ? open : await askChain(url, entry, options.fetch ?? globalThis.fetch)
    if (state === 'settled') await ledger.update(entry.id, { state: 'committed', transaction })
    if (state === 'unused') await ledger.update(entry.id, { state: 'unused' })
    result[state] += 1
  }
  return result
}

/** State of an authorization on chain; `transaction` is the one that collected it, if the RPC endpoint finds it. */
export type ChainState = { state: keyof Reconciled; transaction: string | null }

/**
 * Reads the state of a payment's authorization at the last finalized block. Never rejects.
 * @param url RPC endpoint of the payment's network
 */
export async function askChain(
  url: string,
  { authorization, asset, at }: LedgerEntry,
  fetch: FetchLike,
): Promise<ChainState> {
  const open: ChainState = { state: 'open', transaction: null }
  if (authorization === null) return open
  try {
    const block = await call(url, fetch, 'eth_getBlockByNumber', ['finalized', false])
    const number = quantityOf(block, 'number')
    const timestamp = quantityOf(block, 'timestamp')
    const { from, nonce, validBefore } = authorization
    const holder = from.slice(2).toLowerCase().padStart(64, '0')
    const data = `${AUTHORIZATION_STATE}${holder}${nonce.slice(2)}`
    const used = await call(url, fetch, 'eth_call', [{ to: asset, data }, toHex(number)])
    if (used === `0x${'1'.padStart(64, '0')}`) {
      const seconds = Number(timestamp) - Math.floor(at / 1000)
      const filter = {
        address: asset,
        topics: [AUTHORIZATION_USED, `0x${holder}`, nonce],
        toBlock: toHex(number),
      }
      const transaction = await findTransaction(url, fetch, filter, number, seconds).catch(() => null)
      return { state: 'settled', transaction }
    }
    const isUnused = used === `0x${'0'.repeat(64)}`
    return isUnused && timestamp > BigInt(validBefore) ? { state: 'unused', transaction: null } : open
  } catch {
    return open
  }
}

// Networks make at most about four blocks a second, and RPC endpoints limit the range of a search.
async function findTransaction(
  url: string,
  fetch: FetchLike,
  filter: object,
  number: bigint,
  seconds: number,
): Promise<string | null> {
  const range = BigInt(Math.min(9000, 4 * Math.max(0, seconds) + 100))
  const fromBlock = toHex(number > range ? number - range : 0n)
  const logs = await call(url, fetch, 'eth_getLogs', [{ ...filter, fromBlock }])
  const [log] = Array.isArray(logs) ? logs : []
  const hash = isRecord(log) ? log.transactionHash : undefined
  return typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash) ? hash : null
}

const toHex = (value: bigint) => `0x${value.toString(16)}`

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
