import { isRecord, parseJson } from '@touchstone402/shared'
import { readBody } from '../readBody.ts'
import type { FetchLike } from '../types.ts'
import type { LedgerEntry } from './ledger.ts'

/** State of a payment at a final block. */
export type ChainState = {
  state: 'settled' | 'unused' | 'open'
  /** The transaction that collected it, if it is found. */
  transaction: string | null
  /** Amount that was collected in the asset's smallest unit, where it may be less than the reserved one. */
  amountAtomic?: string
}

/** Nothing is known for certain. */
export const OPEN: ChainState = { state: 'open', transaction: null }

/** Reads the state of a payment's authorization at the last finalized block of an RPC endpoint. May reject. */
export type ReadChain = (chain: Chain, entry: LedgerEntry) => Promise<ChainState>

/** An RPC endpoint. */
export type Chain = {
  /** Returns the result of a call, of any shape. */
  call(method: string, params: unknown[]): Promise<unknown>
}

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 10_000

/** Creates a client of an RPC endpoint. */
export function createChain(url: string, fetch: FetchLike): Chain {
  return {
    async call(method, params) {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      const answer = parseJson(await readBody(response, MAX_BYTES, TIMEOUT_MS))
      return isRecord(answer) ? answer.result : undefined
    },
  }
}

/** Reads number and time (Unix seconds) of the last finalized block. */
export async function readFinalBlock({ call }: Chain): Promise<{ number: bigint; timestamp: bigint }> {
  const block = await call('eth_getBlockByNumber', ['finalized', false])
  return { number: quantityOf(block, 'number'), timestamp: quantityOf(block, 'timestamp') }
}

/** Calls a contract at a block. The block is pinned: another node behind the same URL may lag. */
export function callAt({ call }: Chain, to: string, data: string, block: bigint): Promise<unknown> {
  return call('eth_call', [{ to, data }, toHex(block)])
}

/**
 * Finds the transactions of a log filter from the time of a payment to a final block, latest first.
 * Networks make at most about four blocks a second, and RPC endpoints limit the range of a search.
 */
export async function findTransactions(
  { call }: Chain,
  filter: { address: string; topics: string[] },
  final: { number: bigint; timestamp: bigint },
  at: number,
): Promise<string[]> {
  const seconds = Number(final.timestamp) - Math.floor(at / 1000)
  const range = BigInt(Math.min(9000, 4 * Math.max(0, seconds) + 100))
  const fromBlock = toHex(final.number > range ? final.number - range : 0n)
  const logs = await call('eth_getLogs', [{ ...filter, toBlock: toHex(final.number), fromBlock }])
  if (!Array.isArray(logs)) return []
  const hashes = logs.map((log) => (isRecord(log) ? log.transactionHash : undefined)).filter(isHash)
  return [...new Set(hashes)].reverse()
}

// keccak256('balanceOf(address)'). Source: ERC-20.
const BALANCE_OF = '0x70a08231'

/** Reads the token balance of an address, in the smallest unit. @throws Error if the RPC endpoint fails */
export async function readBalance({ call }: Chain, asset: string, holder: string): Promise<bigint> {
  const balance = await call('eth_call', [{ to: asset, data: BALANCE_OF + padAddress(holder) }, 'latest'])
  if (!isHash(balance)) throw new Error('The balance is no number.')
  return BigInt(balance)
}

/** Whether a value is a transaction hash. */
export function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)
}

/** Encodes an address as 64 hexadecimal digits. */
export function padAddress(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, '0')
}

/** Reads a quantity of an object. @throws Error if it is none */
export function quantityOf(holder: unknown, field: string): bigint {
  const value = isRecord(holder) ? holder[field] : undefined
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,16}$/.test(value))
    throw new Error(`${field} is not a quantity.`)
  return BigInt(value)
}

const toHex = (value: bigint) => `0x${value.toString(16)}`

// keccak256('authorizationState(address,bytes32)'). Source: EIP-3009.
const AUTHORIZATION_STATE = '0xe94a0102'
// keccak256('AuthorizationUsed(address,bytes32)'). Source: EIP-3009.
const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

/** Reads whether an EIP-3009 authorization was used, or can no longer be used. */
export const readAuthorizationState: ReadChain = async (chain, { authorization, asset, at }) => {
  if (authorization === null) return OPEN
  const final = await readFinalBlock(chain)
  const { from, nonce, validBefore } = authorization
  const holder = padAddress(from)
  const used = await callAt(chain, asset, `${AUTHORIZATION_STATE}${holder}${nonce.slice(2)}`, final.number)
  if (used === `0x${'1'.padStart(64, '0')}`) {
    const filter = { address: asset, topics: [AUTHORIZATION_USED, `0x${holder}`, nonce] }
    const found = await findTransactions(chain, filter, final, at).catch(() => [])
    return { state: 'settled', transaction: found.at(-1) ?? null }
  }
  const isUnused = used === `0x${'0'.repeat(64)}`
  return isUnused && final.timestamp > BigInt(validBefore) ? { state: 'unused', transaction: null } : OPEN
}
