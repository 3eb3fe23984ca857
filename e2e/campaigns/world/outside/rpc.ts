import { toEventSelector, toFunctionSelector } from 'viem'
import { type Chain, type Collected, USDC } from './chain.ts'

/**
 * How an RPC endpoint answers. It may fail, lag or be of another chain; `hidesUses` denies every payment, which only the
 * second of two endpoints reveals.
 */
export type RpcMood = 'honest' | 'down' | 'otherChain' | 'old' | 'ahead' | 'lags' | 'hidesUses'

/** Seconds of a block, and by which the chain is final later than its latest block. */
const BLOCK_SECONDS = 2
const FINAL_SECONDS = 1000
const SHIFT_SECONDS = { old: 3 * 3600, ahead: -3600, lags: 2400 } as const

type Call = { id: number; method: string; params: readonly unknown[] }

/** Answers a call of JSON-RPC; null if the endpoint is down. */
export function answerRpc(chain: Chain, mood: RpcMood, { id, method, params }: Call): object | null {
  if (mood === 'down') return null
  const result = resultOf(chain, mood, method, params)
  return { jsonrpc: '2.0', id, result }
}

function resultOf(chain: Chain, mood: RpcMood, method: string, params: readonly unknown[]): unknown {
  const shift = mood in SHIFT_SECONDS ? SHIFT_SECONDS[mood as keyof typeof SHIFT_SECONDS] : 0
  const latest = chain.now() - shift
  if (method === 'eth_chainId') return mood === 'otherChain' ? '0x1' : '0x2105'
  if (method === 'eth_getBlockByNumber') return toBlock(latest, String(params[0]))
  if (method === 'eth_call') {
    const [{ data }, tag] = params as [{ data: string }, string]
    return callContract(chain, mood, data, Math.min(latest, Number(BigInt(tag)) * BLOCK_SECONDS))
  }
  if (method === 'eth_getTransactionByHash') return toTransaction(chain, String(params[0]))
  if (method === 'eth_getTransactionReceipt') return toReceipt(chain, String(params[0]))
  if (method !== 'eth_getLogs') return null
  const [{ address, topics, toBlock: last }] = params as [
    { address: string; topics: string[]; toBlock: string },
  ]
  const until = Math.min(latest, Number(BigInt(last)) * BLOCK_SECONDS)
  if (address !== USDC || mood === 'hidesUses') return []
  const isFound = (one: Collected) =>
    one.at <= until && (topics[0] === TRANSFER ? topics[2] === toTopic(one.to) : topics[2] === one.nonce)
  return [...chain.collected.values()]
    .filter(isFound)
    .map(({ transaction }) => ({ transactionHash: transaction }))
}

function toBlock(latest: number, tag: string) {
  const seconds =
    tag === 'latest'
      ? latest
      : tag === 'finalized'
        ? latest - FINAL_SECONDS
        : Number(BigInt(tag)) * BLOCK_SECONDS
  const number = Math.floor(seconds / BLOCK_SECONDS)
  const hex = number.toString(16)
  return {
    number: `0x${hex}`,
    timestamp: `0x${(number * BLOCK_SECONDS).toString(16)}`,
    hash: `0x${hex.padStart(64, 'b')}`,
  }
}

// Selectors of authorizationState(address,bytes32), balanceOf(address), and nonceBitmap(address,uint256) of Permit2.
const STATE = '0xe94a0102'
const BALANCE = '0x70a08231'
const BITMAP = '0x4fe02b44'

function callContract(chain: Chain, mood: RpcMood, data: string, at: number): string {
  if (data.startsWith(BALANCE)) return toWord(chain.balanceOf(''))
  const isUsed = ({ at: usedAt }: Collected) => usedAt <= at && mood !== 'hidesUses'
  const used = [...chain.collected.values()].filter(isUsed)
  const asked = BigInt(`0x${data.slice(-64)}`)
  if (data.startsWith(STATE)) return toWord(used.some(({ nonce }) => BigInt(nonce) === asked) ? 1n : 0n)
  if (!data.startsWith(BITMAP)) return '0x'
  const ofWord = used.map(({ nonce }) => BigInt(nonce)).filter((nonce) => nonce >> 8n === asked)
  return toWord(ofWord.reduce((bits, nonce) => bits | (1n << (nonce & 255n)), 0n))
}

/** Returns the call of the x402 proxy that has collected a payment of the scheme upto. */
function toTransaction(chain: Chain, hash: string) {
  const found = findCollected(chain, hash)
  if (found?.scheme !== 'upto') return null
  const { value, nonce, validBefore, amount, from, to } = found
  const words = [
    BigInt(USDC),
    BigInt(value),
    BigInt(nonce),
    BigInt(validBefore),
    amount,
    BigInt(from),
    BigInt(to),
  ]
  return { to: UPTO_PROXY, input: SETTLE + words.map((word) => toWord(word).slice(2)).join('') }
}

function toReceipt(chain: Chain, hash: string) {
  const found = findCollected(chain, hash)
  if (found === undefined) return null
  const topics = [TRANSFER, toTopic(found.from), toTopic(found.to)]
  const logs = [{ address: USDC, topics, data: toWord(found.amount) }]
  return { status: '0x1', blockNumber: `0x${Math.floor(found.at / BLOCK_SECONDS).toString(16)}`, logs }
}

const findCollected = (chain: Chain, hash: string): Collected | undefined =>
  [...chain.collected.values()].find(({ transaction }) => transaction === hash)

const UPTO_PROXY = '0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002'
const SETTLE = toFunctionSelector(
  'settle(((address,uint256),uint256,uint256),uint256,address,(address,address,uint256),bytes)',
)
const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const toTopic = (address: string) => toWord(BigInt(address))
const toWord = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
