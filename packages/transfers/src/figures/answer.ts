import { formatUnits } from '@touchstone402/shared'
import type { Address, BlockRange, Finality, TokenFacts } from '../types.ts'
import type { AddressKind, Labels } from './labels.ts'

/** Version of the definitions behind every figure; changes with any of them. */
export const METHOD_VERSION = '1.0.0'

/** An amount: exact in the smallest unit, and in token units where the decimals are known. */
export type Amount = { readonly raw: string; readonly amount: string | null }

/** An address as an answer shows it. */
export type AddressInfo = {
  readonly address: string
  readonly kind: AddressKind
  readonly label: string | null
  readonly labelSource: string | null
}

export type TokenInfo = {
  readonly address: string
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  readonly decimalsSource: TokenFacts['decimalsSource']
  readonly isContract: boolean
  readonly warnings: readonly string[]
}

export type WindowName = '5m' | '15m' | '1h' | '6h' | '24h'

/** Lengths of the windows, in seconds. */
export const WINDOW_SECONDS: Readonly<Record<WindowName, number>> = {
  '5m': 300,
  '15m': 900,
  '1h': 3600,
  '6h': 21_600,
  '24h': 86_400,
}

export type WindowInfo = {
  readonly name: WindowName
  readonly fromBlock: number
  readonly toBlock: number
  readonly fromTime: string
  readonly toTime: string
  readonly headLagBlocks: number
  readonly finality: Finality
  readonly complete: boolean
  readonly truncated: boolean
  /** The blocks that the figures rest on; the whole window when `complete`. */
  readonly ranges: readonly BlockRange[]
}

/** What every token answer carries. */
export type TokenAnswer = {
  readonly token: TokenInfo
  readonly window: WindowInfo
  readonly summary: string
  readonly caveats: readonly string[]
  readonly methodVersion: string
  readonly ts: string
}

/** What the pure operations know besides the transfers. */
export type AnswerContext = {
  readonly token: TokenFacts
  readonly window: WindowInfo
  readonly labels: Labels
  /** Whether an address holds code; undefined where nobody looked. */
  readonly isContract: (address: Address) => boolean | undefined
  /** EIP-55 form of an address. */
  readonly checksum: (address: Address) => string
  readonly warnings: readonly string[]
  /** When the answer is made, ISO 8601. */
  readonly ts: string
}

/** Writes an amount both ways. */
export const toAmount = ({ token }: Pick<AnswerContext, 'token'>, raw: bigint): Amount => ({
  raw: raw.toString(),
  amount: token.decimals === null ? null : formatUnits(raw, token.decimals),
})

/** Describes an address. `role` tells a mint (from zero) from a burn (to zero). */
export const toAddressInfo = (
  { labels, isContract, checksum }: AnswerContext,
  address: Address,
  role: 'from' | 'to' | 'party' = 'party',
): AddressInfo => {
  const known = labels(address)
  const shown = { address: checksum(address), labelSource: known?.source ?? null }
  if (role === 'from' && isZeroAddress(address)) return { ...shown, kind: 'mint', label: 'Mint' }
  if (known !== null) return { ...shown, kind: known.kind, label: known.label }
  const code = isContract(address)
  return { ...shown, kind: code === undefined ? 'unknown' : code ? 'contract' : 'eoa', label: null }
}

const ZERO = `0x${'0'.repeat(40)}`

/** Whether this is the address that mints come from. */
export const isZeroAddress = (address: Address): boolean => address === ZERO

/** Part of a whole as a percentage with four places; 0 of nothing is 0. For people, not for arithmetic. */
export const percentOf = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Number((part * 1_000_000n) / whole) / 10_000

/** A sentence's worth of an amount: token units with the symbol, or raw units. */
export const describeAmount = (context: AnswerContext, raw: bigint): string => {
  const { amount } = toAmount(context, raw)
  return amount === null ? `${raw} units` : `${group(amount)} ${context.token.symbol ?? 'tokens'}`
}

const group = (amount: string): string => {
  const [whole = '', fraction = ''] = amount.split('.')
  const shown = fraction.slice(0, 2)
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${shown === '' ? '' : `.${shown}`}`
}

/** The parts that all answers share; `caveats` are added to those that the window and the token call for. */
export const frameAnswer = (
  context: AnswerContext,
  summary: string,
  caveats: readonly string[],
): TokenAnswer => {
  const { token, window, warnings, ts, checksum } = context
  return {
    token: {
      address: checksum(token.address),
      name: token.name,
      symbol: token.symbol,
      decimals: token.decimals,
      decimalsSource: token.decimalsSource,
      isContract: token.isContract,
      warnings,
    },
    window,
    summary,
    caveats: [...frameCaveats(context), ...caveats],
    methodVersion: METHOD_VERSION,
    ts,
  }
}

const frameCaveats = ({ token, window, warnings }: AnswerContext): string[] => {
  const caveats: string[] = []
  if (token.decimals === null)
    caveats.push('The decimals are not known: amounts are in the smallest unit only.')
  if (warnings.includes('balances_do_not_fit_transfers'))
    caveats.push('Balances change by other amounts than the transfers say: the token takes a fee or rebases.')
  if (!window.complete)
    caveats.push('The window was not read completely: the figures cover `window.ranges` only.')
  if (window.truncated) caveats.push('There were more transfers than one answer may hold.')
  if (window.finality !== 'finalized')
    caveats.push('The newest blocks are not final: a reorganisation may still replace them.')
  return caveats
}
