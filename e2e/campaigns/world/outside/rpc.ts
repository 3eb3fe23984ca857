import { type Chain, USDC } from './chain.ts'

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
  if (method !== 'eth_getLogs') return null
  const [{ address, topics, toBlock: last }] = params as [
    { address: string; topics: string[]; toBlock: string },
  ]
  const found = chain.collected.get(topics[2] ?? '')
  const isSeen = found !== undefined && found.at <= Number(BigInt(last)) * BLOCK_SECONDS
  return isSeen && address === USDC && mood !== 'hidesUses' ? [{ transactionHash: found.transaction }] : []
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

// Selectors of authorizationState(address,bytes32) and balanceOf(address).
const STATE = '0xe94a0102'
const BALANCE = '0x70a08231'

function callContract(chain: Chain, mood: RpcMood, data: string, at: number): string {
  if (data.startsWith(BALANCE)) return toWord(chain.balanceOf(''))
  if (!data.startsWith(STATE)) return '0x'
  const usedAt = chain.usedAt(`0x${data.slice(-64)}`)
  return toWord(usedAt !== null && usedAt <= at && mood !== 'hidesUses' ? 1n : 0n)
}

const toWord = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
