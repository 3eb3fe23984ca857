import {
  formatUnits,
  groupAmount,
  quoteSymbol,
  type TokenAddress,
  type TokenAmount,
  type TokenAnswer,
  type TokenWarning,
  type TokenWindow,
} from '@touchstone402/shared'
import { type Fit, isWindowRead } from '../findings/fitCheck.ts'
import { unreadable } from '../tokenError.ts'
import type { Address, TokenFacts } from '../types.ts'
import type { Labels } from './labels.ts'

/** Version of the definitions behind the figures. It changes with any of them. */
export const METHOD_VERSION = '1.2.0'

/** Inputs of an answer besides the transfers. */
export type AnswerContext = {
  readonly token: TokenFacts
  /** CAIP-2. */
  readonly network: string
  readonly window: TokenWindow
  /** The window in a sentence: `in the last 1h`. */
  readonly when: string
  readonly labels: Labels
  /** Whether an address holds code; undefined if it was not looked up. */
  readonly isContract: (address: Address) => boolean | undefined
  /** Returns the EIP-55 form of an address. */
  readonly checksum: (address: Address) => string
  readonly warnings: readonly TokenWarning[]
  /** Result of the fit check; null if there is none. */
  readonly fit: Fit | null
  /** Whether deposits or withdrawals are among the transfers. */
  readonly hasSupplyLogs: boolean
  /** Time of the answer, ISO 8601. */
  readonly ts: string
}

/** An amount has at most 78 digits: as many as the largest transfer. */
const TOO_LARGE = 10n ** 78n

/**
 * Formats an amount, exact in the smallest unit, and in token units if the decimals are known.
 *
 * @throws TokenError for a sum of more than 78 digits, which no token with a real supply reaches
 */
export function toAmount({ token }: Pick<AnswerContext, 'token'>, raw: bigint): TokenAmount {
  if (raw >= TOO_LARGE || raw <= -TOO_LARGE)
    throw unreadable(token.address, 'its transfers add up to more than 78 digits')
  return {
    raw: raw.toString(),
    amount: token.decimals === null ? null : formatUnits(raw, token.decimals),
  }
}

const ZERO = `0x${'0'.repeat(40)}`

/** Describes an address. As a sender, the zero address is a mint; otherwise it is a burn. */
export function toAddressInfo(
  { labels, isContract, checksum }: AnswerContext,
  address: Address,
  role: 'from' | 'to' | 'party' = 'party',
): TokenAddress {
  const known = labels(address)
  const shown = { address: checksum(address), labelSource: known?.source ?? null }
  if (role === 'from' && address === ZERO) return { ...shown, kind: 'mint', label: 'Mint' }
  if (known !== null) return { ...shown, kind: known.kind, label: known.label }
  const code = isContract(address)
  return { ...shown, kind: code === undefined ? 'unknown' : code ? 'contract' : 'eoa', label: null }
}

/** Returns a share in percent with four decimal places; 0 if the whole is 0. For display only. */
export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1_000_000n) / whole) / 10_000
}

/** Formats an amount for a sentence: token units with the symbol, or raw units. */
export function describeAmount(context: AnswerContext, raw: bigint): string {
  const { amount } = toAmount(context, raw)
  return amount === null ? `${raw} units` : `${groupAmount(amount)} ${nameUnit(context)}`
}

/** Returns what amounts are called in a sentence: the symbol in quotes, or `tokens`. */
function nameUnit({ token: { symbol } }: AnswerContext): string {
  return symbol === null ? 'tokens' : quoteSymbol(symbol)
}

/** Formats a count with its noun: `1 transfer`, `2 transfers`. */
export function describeCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns the parts that all answers share. `caveats` come after those of the window and the token. */
export function frameAnswer(
  context: AnswerContext,
  summary: string,
  caveats: readonly string[],
): TokenAnswer {
  const { window, warnings, ts, checksum } = context
  const { address, name, symbol, decimals, decimalsSource, isContract, implementation } = context.token
  const token = {
    name,
    symbol,
    decimals,
    decimalsSource,
    isContract,
    implementation: implementation === null ? null : checksum(implementation),
    warnings: [...warnings],
  }
  return {
    token: { address: checksum(address), ...token },
    window,
    summary,
    caveats: [...frameCaveats(context), ...caveats],
    methodVersion: METHOD_VERSION,
    ts,
  }
}

function describeFit(fit: Fit, checksum: AnswerContext['checksum']): string | null {
  switch (fit.kind) {
    case 'takes_transfer_fee':
      return fit.collector === undefined
        ? `The token takes a transfer fee: recipients got ${fit.feePct} % less than the amounts shown.`
        : `The token takes a transfer fee of ${fit.feePct} %, which counts as transfers to ${checksum(fit.collector)}.`
    case 'rebases':
      return 'The token rebases: balances also change between transfers, so net flows are not changes of balances.'
    case 'balances_do_not_fit_transfers':
      return 'Balances change by other amounts than the transfers state: net flows are not changes of balances.'
    case 'fits':
      return null
  }
}

function frameCaveats({ token, window, warnings, fit, hasSupplyLogs, checksum }: AnswerContext): string[] {
  const caveats: string[] = []
  if (token.decimals === null)
    caveats.push('The decimals are not known: amounts are in the smallest unit only.')
  if (warnings.includes('symbol_of_another_token'))
    caveats.push('A well-known token has the same symbol and another address.')
  if (warnings.includes('symbol_looks_like_another_token'))
    caveats.push('The symbol looks like that of a well-known token with another address.')
  if (warnings.includes('name_looks_like_another_token'))
    caveats.push('The name looks like that of a well-known token with another address.')
  if (token.implementation !== null)
    caveats.push(
      `The token is a proxy for the code at ${checksum(token.implementation)}, which may be replaced.`,
    )
  if (hasSupplyLogs)
    caveats.push(
      'Deposits and withdrawals, which the token logs without a transfer, count as mints and burns.',
    )
  const mismatch = fit === null ? null : describeFit(fit, checksum)
  if (mismatch !== null) caveats.push(mismatch)
  if (!window.complete) caveats.push(describeGap(window))
  if (window.truncated) caveats.push('The window holds more transfers than one answer may cover.')
  if (window.finality !== 'finalized')
    caveats.push('The newest blocks are not final: a reorganisation may still replace them.')
  return caveats
}

function describeGap(window: TokenWindow): string {
  return isWindowRead(window)
    ? 'The final blocks of the window were read once: transfers may be missing until a second reading, a minute later, agrees.'
    : 'The window was not read completely: the figures cover `window.ranges` only.'
}
