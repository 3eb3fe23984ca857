import { decodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, hexToString, trim } from 'viem'
import { ChainError } from '../chainError.ts'
import type { Address, ReadOptions, TokenFacts } from '../types.ts'
import { callContract, callContracts } from './callContract.ts'
import { isContractCode } from './codeReader.ts'
import { isErc404Code } from './erc404.ts'
import { findImplementation } from './proxy.ts'
import type { RpcPool } from './rpcPool.ts'
import { toQuantity } from './rpcReply.ts'

/** Reads facts and balances of token contracts. */
export type TokenReader = {
  /** Reads what a token reports about itself, from the cache if possible. A call that reverts reads as null. */
  read(address: Address, options?: ReadOptions): Promise<TokenFacts>
  /** Balance of a holder at the end of a block: 0 where the contract did not exist yet. Asks each RPC once. */
  balance(token: Address, holder: Address, block: number, options?: ReadOptions): Promise<bigint>
}

const MAX_TEXT = 64
const SOME_ACCOUNT = '0x0000000000000000000000000000000000000001'
/** `supportsInterface(0x80ac58cd)`: ERC-165, asked about ERC-721. */
const IS_ERC721: Hex = `0x01ffc9a780ac58cd${'0'.repeat(56)}`
/** `implementation()` of a beacon. */
const IMPLEMENTATION: Hex = '0x5c60da1b'
/** A word of 0. */
const NOTHING: Hex = `0x${'0'.repeat(64)}`
const TOKEN_MS = 3_600_000
/** Lifetime of "not a token": one may be deployed at any time. */
const NO_TOKEN_MS = 60_000
const MAX_CACHED = 10_000

/** Token text is hostile: drops control and formatting characters, and limits the length. */
function clean(text: string): string | null {
  const plain = text.replace(/\p{C}/gu, '').trim()
  return plain === '' ? null : [...plain].slice(0, MAX_TEXT).join('')
}

/** Decodes `name` or `symbol`. `fixed`: it came as bytes32, as early tokens return it. */
function readText(data: Hex | null): { text: string | null; fixed: boolean } {
  if (data === null || data.length < 66) return { text: null, fixed: false }
  if (data.length === 66) return { text: clean(hexToString(trim(data, { dir: 'right' }))), fixed: true }
  try {
    return { text: clean(decodeAbiParameters([{ type: 'string' }], data)[0]), fixed: false }
  } catch {
    return { text: null, fixed: false }
  }
}

const readUint = (data: Hex | null): bigint | null =>
  data !== null && data.length === 66 ? BigInt(data) : null

const balanceOf = (account: Address): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
const ALLOWANCE = encodeFunctionData({
  abi: erc20Abi,
  functionName: 'allowance',
  args: [SOME_ACCOUNT, SOME_ACCOUNT],
})

const get = (functionName: 'name' | 'symbol' | 'decimals' | 'totalSupply') =>
  encodeFunctionData({ abi: erc20Abi, functionName })
const FACTS = [
  get('name'),
  get('symbol'),
  get('decimals'),
  get('totalSupply'),
  balanceOf(SOME_ACCOUNT),
  ALLOWANCE,
  IS_ERC721,
] as const

/** Creates a token reader. Failures are not cached. */
export function createTokenReader(pool: RpcPool, now: () => number): TokenReader {
  const cached = new Map<Address, { readonly facts: TokenFacts; readonly at: number }>()

  const readFacts = async (address: Address, read?: ReadOptions): Promise<TokenFacts> => {
    const code = await pool.call('eth_getCode', [address, 'latest'], read)
    const isContract = isContractCode(code)
    const none = {
      address,
      isContract,
      isErc20: false,
      isErc721: false,
      isErc404: false,
      implementation: null,
    } as const
    if (!isContract)
      return {
        ...none,
        name: null,
        symbol: null,
        decimals: null,
        decimalsSource: 'unknown',
        totalSupply: null,
      }
    const calls = FACTS.map((data) => ({ to: address, data, at: 'latest' }))
    const callBeacon = { data: IMPLEMENTATION, at: 'latest' }
    const [answers, implementation] = await Promise.all([
      pool.use((member) => callContracts(member, calls, read), read),
      findImplementation(code, {
        slot: (slot) => pool.call('eth_getStorageAt', [address, slot, 'latest'], read),
        beacon: async (to) => {
          const [found = null] = await pool.use(
            (member) => callContracts(member, [{ ...callBeacon, to }], read),
            read,
          )
          return found
        },
      }),
    ])
    const [names = null, symbols = null, ...numbers] = answers
    const [name, symbol] = [readText(names), readText(symbols)]
    const [places = null, supply = null, balance = null, allowance = null, nft = null] = numbers.map(readUint)
    const run =
      implementation === null ? code : await pool.call('eth_getCode', [implementation, 'latest'], read)
    const isErc404 = isErc404Code(run)
    const decimals = places !== null && places <= 255n ? Number(places) : null
    const isErc721 = nft === 1n
    // Some tokens that cannot be approved have no allowance, and decimals are optional. A token has either.
    const isFungible = allowance !== null || decimals !== null
    return {
      address,
      isContract,
      isErc20: !isErc721 && !isErc404 && isFungible && supply !== null && balance !== null,
      isErc721,
      isErc404,
      implementation,
      name: name.text,
      symbol: symbol.text,
      decimals,
      decimalsSource: decimals === null ? 'unknown' : name.fixed || symbol.fixed ? 'bytes32' : 'call',
      totalSupply: supply,
    }
  }

  return {
    async read(given, options) {
      const address = given.toLowerCase() as Address
      const hit = cached.get(address)
      if (hit !== undefined && now() - hit.at < (hit.facts.isErc20 ? TOKEN_MS : NO_TOKEN_MS)) return hit.facts
      const facts = await readFacts(address, { ...options, purpose: 'token_facts' })
      if (cached.size >= MAX_CACHED) cached.clear()
      cached.set(address, { facts, at: now() })
      return facts
    },
    async balance(to, holder, block, options) {
      const at = toQuantity(block)
      const answer = await pool.use(
        async (member) => {
          const balance = await callContract(member, { to, data: balanceOf(holder), at }, options)
          if (balance !== '0x') return balance
          // The same RPC knows that block: without code there is nothing to hold.
          const code = await member.call('eth_getCode', [to, at], options)
          return code === '0x' ? NOTHING : balance
        },
        { ...options, rounds: 1 },
      )
      const found = readUint(answer)
      if (found === null) throw new ChainError('bad_answer', 'A token did not return a balance')
      return found
    },
  }
}
