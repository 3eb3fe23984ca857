import type { Hex as ViemHex } from 'viem'
import { ChainError } from '../chainError.ts'
import type { Address, ReadOptions, TokenFacts } from '../types.ts'

type Call = (method: string, params: readonly unknown[], options?: ReadOptions) => Promise<unknown>

const MAX_TEXT = 64
const SOME_ACCOUNT = '0x0000000000000000000000000000000000000001'

const isHex = (value: unknown): value is ViemHex =>
  typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)

/** Token text is hostile: control and formatting characters go, and so does the length. */
const clean = (text: string): string | null => {
  const plain = text.replace(/\p{C}/gu, '').trim()
  return plain === '' ? null : [...plain].slice(0, MAX_TEXT).join('')
}

type Viem = typeof import('viem')

/** Metadata is rare and viem is large: it is loaded when the first token is asked for. */
const loadViem = (): Promise<Viem> => import('viem')

const readText = (
  { hexToString, trim, decodeAbiParameters }: Viem,
  data: ViemHex | null,
): { text: string | null; fixed: boolean } => {
  if (data === null || data.length < 66) return { text: null, fixed: false }
  if (data.length === 66) return { text: clean(hexToString(trim(data, { dir: 'right' }))), fixed: true }
  try {
    return { text: clean(decodeAbiParameters([{ type: 'string' }], data)[0]), fixed: false }
  } catch {
    return { text: null, fixed: false }
  }
}

const readUint = (data: ViemHex | null): bigint | null =>
  data !== null && data.length === 66 ? BigInt(data) : null

/** An account that delegates its code (EIP-7702) holds these 23 bytes; its owner still signs for it. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i

/** Whether an `eth_getCode` answer is a contract's. */
export const isContractCode = (code: unknown): boolean =>
  isHex(code) && code !== '0x' && !DELEGATION.test(code)

/** Reads what a token says of itself. A call that reverts reads as null; an RPC that fails rejects. */
export const readTokenFacts = async (
  call: Call,
  address: Address,
  options?: ReadOptions,
): Promise<TokenFacts> => {
  const code = await call('eth_getCode', [address, 'latest'], options)
  const isContract = isContractCode(code)
  const none = { address, isContract, isErc20: false, name: null, symbol: null, decimals: null } as const
  if (!isContract) return { ...none, decimalsSource: 'unknown', totalSupply: null }
  const viem = await loadViem()
  const { encodeFunctionData, erc20Abi } = viem
  const ask = async (functionName: 'name' | 'symbol' | 'decimals' | 'totalSupply' | 'balanceOf') => {
    const data =
      functionName === 'balanceOf'
        ? encodeFunctionData({ abi: erc20Abi, functionName, args: [SOME_ACCOUNT] })
        : encodeFunctionData({ abi: erc20Abi, functionName })
    try {
      const answer = await call('eth_call', [{ to: address, data }, 'latest'], options)
      return isHex(answer) ? answer : null
    } catch (error) {
      if (error instanceof ChainError && error.code === 'reverted') return null
      throw error
    }
  }
  const [name, symbol, decimals, supply, balance] = await Promise.all([
    ask('name'),
    ask('symbol'),
    ask('decimals'),
    ask('totalSupply'),
    ask('balanceOf'),
  ])
  const places = readUint(decimals)
  const known = places !== null && places <= 255n
  const title = readText(viem, name)
  const ticker = readText(viem, symbol)
  return {
    address,
    isContract,
    isErc20: readUint(supply) !== null && readUint(balance) !== null,
    name: title.text,
    symbol: ticker.text,
    decimals: known ? Number(places) : null,
    decimalsSource: !known ? 'unknown' : title.fixed || ticker.fixed ? 'bytes32' : 'call',
    totalSupply: readUint(supply),
  }
}

/** Balance of a holder at the end of a block, or null when the RPC does not answer for that block. */
export const readBalance = async (
  call: Call,
  token: Address,
  holder: Address,
  block: number,
  options?: ReadOptions,
): Promise<bigint | null> => {
  const { encodeFunctionData, erc20Abi } = await loadViem()
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
  const answer = await call('eth_call', [{ to: token, data }, `0x${block.toString(16)}`], options)
  return isHex(answer) ? readUint(answer) : null
}
