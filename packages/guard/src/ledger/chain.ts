import { isRecord, parseJson } from '@touchstone402/shared'
import { readBody } from '../readBody.ts'
import type { FetchLike } from '../types.ts'
import { isFresh } from './exposure.ts'
import type { Payment } from './ledger.ts'
import { isHash } from './transactionHash.ts'

/**
 * Use of an authorization at a block. `amountAtomic` is what was collected, in the asset's smallest unit, where it may be
 * less than the reserved amount.
 */
export type ChainUse = { used: false } | { used: true; transaction: string | null; amountAtomic?: string }

/** Reads whether the authorization of a payment was used at a block; undefined if the answer is not plain. May reject. */
export type ReadChain = (chain: Chain, entry: Payment, block: Block) => Promise<ChainUse | undefined>

/** A block. `timestamp` is in Unix seconds. */
export type Block = { tag: string; number: bigint; timestamp: bigint; hash: unknown }

/** An RPC endpoint. */
export type Chain = {
  /** Returns the result of a call, of any shape. */
  call(method: string, params: unknown[]): Promise<unknown>
}

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 10_000
const ID = 1

/** Creates a client of an RPC endpoint. */
export function createChain(url: string, fetch: FetchLike): Chain {
  return {
    async call(method, params) {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: ID, method, params }),
      })
      const answer = parseJson(await readBody(response, MAX_BYTES, TIMEOUT_MS))
      const isAnswer = isRecord(answer) && answer.id === ID && (answer.error ?? null) === null
      return isAnswer ? answer.result : undefined
    },
  }
}

/** Reads a block by its number or tag. @throws Error if there is none, as where a chain knows no `finalized` */
export async function readBlock({ call }: Chain, tag: string): Promise<Block> {
  const block = await call('eth_getBlockByNumber', [tag, false])
  const [number, timestamp] = [quantityOf(block, 'number'), quantityOf(block, 'timestamp')]
  return { tag: toHex(number), number, timestamp, hash: isRecord(block) ? block.hash : undefined }
}

/** Returns why an RPC endpoint is not one of a network; null if it is. @throws Error if it fails */
export async function doubtNetwork({ call }: Chain, network: string): Promise<string | null> {
  const id = await call('eth_chainId', [])
  const expected = network.slice('eip155:'.length)
  const found = typeof id === 'string' && /^0x[0-9a-f]{1,16}$/i.test(id) ? BigInt(id).toString() : 'none'
  return found === expected ? null : `The RPC endpoint is of chain ${found}, not ${expected}.`
}

/** Returns why a block does not tell of the present; null if it does. `now` is the own clock, Unix time in ms. */
export function doubtAge({ timestamp }: Pick<Block, 'timestamp'>, now: number): string | null {
  if (isFresh({ at: now, timestamp: Number(timestamp) })) return null
  const age = now - Number(timestamp) * 1000
  const minutes = Math.round(Math.abs(age) / 60_000)
  return `The block of the RPC endpoint is ${minutes} min ${age > 0 ? 'older' : 'newer'} than the clock of this machine.`
}

/** Calls a contract at a block. The block is pinned: another node behind the same URL may lag. */
export function callAt({ call }: Chain, to: string, data: string, { tag }: Block): Promise<unknown> {
  return call('eth_call', [{ to, data }, tag])
}

/**
 * Finds the transactions of a log filter from the time of a payment to a block, latest first.
 * Networks make at most about four blocks a second, and RPC endpoints limit the range of a search.
 */
export async function findTransactions(
  { call }: Chain,
  filter: { address: string; topics: string[] },
  block: Block,
  at: number,
): Promise<string[]> {
  const seconds = Number(block.timestamp) - Math.floor(at / 1000)
  const range = BigInt(Math.min(9000, 4 * Math.max(0, seconds) + 100))
  const fromBlock = toHex(block.number > range ? block.number - range : 0n)
  const logs = await call('eth_getLogs', [{ ...filter, toBlock: block.tag, fromBlock }])
  if (!Array.isArray(logs)) return []
  const hashes = logs.map((log) => (isRecord(log) ? log.transactionHash : undefined)).filter(isHash)
  return [...new Set(hashes)].reverse()
}

// keccak256('balanceOf(address)'). Source: ERC-20.
const BALANCE_OF = '0x70a08231'

/**
 * Reads how much of a payment's asset an address holds, in the smallest unit.
 * @throws Error if the RPC endpoint fails, is of another network or lags
 */
export async function readHeld(
  chain: Chain,
  { network, asset }: Pick<Payment, 'network' | 'asset'>,
  holder: string,
  now: number,
): Promise<bigint> {
  const block = await readBlock(chain, 'latest')
  const doubt = (await doubtNetwork(chain, network)) ?? doubtAge(block, now)
  if (doubt !== null) throw new Error(doubt)
  const balance = await callAt(chain, asset, BALANCE_OF + padAddress(holder), block)
  if (!isHash(balance)) throw new Error('The balance is no number.')
  return BigInt(balance)
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

/** Reads whether an EIP-3009 authorization was used. */
export const readAuthorizationState: ReadChain = async (chain, { authorization, asset, at }, block) => {
  if (authorization === null) return undefined
  const { from, nonce } = authorization
  const holder = padAddress(from)
  const used = await callAt(chain, asset, `${AUTHORIZATION_STATE}${holder}${nonce.slice(2)}`, block)
  if (used === `0x${'0'.repeat(64)}`) return { used: false }
  if (used !== `0x${'1'.padStart(64, '0')}`) return undefined
  const filter = { address: asset, topics: [AUTHORIZATION_USED, `0x${holder}`, nonce] }
  const found = await findTransactions(chain, filter, block, at).catch(() => [])
  return { used: true, transaction: found.at(-1) ?? null }
}
