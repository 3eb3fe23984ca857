import * as z from 'zod/mini'
import { AddressSchema, AtomicSchema, about, CountSchema, named, TimestampSchema } from '../primitives.ts'
import { COMMON } from './common.ts'

/** Windows of the token operations. */
export const WINDOWS = ['5m', '15m', '1h', '6h', '24h'] as const

const AmountTextSchema = z.string().check(z.regex(/^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/))
/** Fields of an amount. */
export const amountShape = {
  raw: about(COMMON.raw, AtomicSchema),
  amount: about(COMMON.amount, z.nullable(AmountTextSchema)),
}

export const TokenAmountSchema = named(
  'TokenAmount',
  'An amount in the smallest unit, and in token units if the decimals are known.',
  z.object(amountShape),
)

export const SignedTokenAmountSchema = named(
  'SignedTokenAmount',
  'A difference of amounts. Negative: a loss.',
  z.object({
    raw: about(
      'Difference in the smallest unit of the token, as decimal digits with a sign.',
      z.string().check(z.regex(/^-?(0|[1-9][0-9]*)$/)),
    ),
    amount: about(
      'The same difference in token units as a decimal string; null if the decimals are unknown.',
      z.nullable(AmountTextSchema),
    ),
  }),
)

/** Fields of an address. */
export const addressShape = {
  address: about('The address, checksummed.', AddressSchema),
  kind: about(
    'Kind of the address; unknown if it could not be read.',
    z.enum(['burn', 'mint', 'contract', 'eoa', 'pool', 'router', 'bridge', 'exchange', 'unknown']),
  ),
  label: about('Name of the address; null if none is known.', z.nullable(z.string())),
  labelSource: about('URL of the source of the label; null without a label.', z.nullable(z.string())),
}

export const TokenAddressSchema = named(
  'TokenAddress',
  'An address, its kind, and the source of its label.',
  z.object(addressShape),
)

/** Codes of `token.warnings`. */
export const TOKEN_WARNINGS = [
  'decimals_unknown',
  'symbol_unknown',
  'symbol_of_another_token',
  'symbol_looks_like_another_token',
  'name_looks_like_another_token',
  'takes_transfer_fee',
  'rebases',
  'balances_do_not_fit_transfers',
] as const

export const TokenInfoSchema = named(
  'TokenInfo',
  'Metadata that the token contract reports, and what was found about it. `implementation`: the code behind a proxy.',
  z.object({
    address: about('Contract address, checksummed.', AddressSchema),
    name: about('Name that the contract reports; null if it reports none.', z.nullable(z.string())),
    symbol: about('Symbol that the contract reports; null if it reports none.', z.nullable(z.string())),
    decimals: about('Decimals that the contract reports; null if it reports none.', z.nullable(CountSchema)),
    decimalsSource: about(
      'How the decimals were read; unknown if they were not.',
      z.enum(['call', 'bytes32', 'unknown']),
    ),
    isContract: about('Whether the address has code.', z.boolean()),
    implementation: about(
      'Contract with the code behind a proxy; null if the token is none.',
      z.nullable(AddressSchema),
    ),
    warnings: about('Codes of what was found about the token.', z.array(z.enum(TOKEN_WARNINGS))),
  }),
)

export const TokenWindowSchema = named(
  'TokenWindow',
  'The blocks that the figures cover.',
  z.object({
    name: about('Length of the window, as asked for.', z.enum(WINDOWS)),
    fromBlock: about('First block.', CountSchema),
    toBlock: about('Last block.', CountSchema),
    fromTime: about('Time of the first block, UTC.', TimestampSchema),
    toTime: about('Time of the last block, UTC.', TimestampSchema),
    headLagBlocks: about('Blocks between the last block and the head of the chain.', CountSchema),
    finality: about('Finality of the last block.', z.enum(['latest', 'safe', 'finalized'])),
    complete: about('Whether all blocks of the window were read.', z.boolean()),
    truncated: about('Whether the window holds more transfers than one answer may cover.', z.boolean()),
    ranges: about(
      'Ranges of blocks that were read.',
      z.array(
        z.object({
          from: about('First block of the range.', CountSchema),
          to: about('Last block of the range.', CountSchema),
        }),
      ),
    ),
  }),
)

/** Fields that all token answers share. */
export const answerShape = {
  token: about('The token.', TokenInfoSchema),
  window: TokenWindowSchema,
  summary: about('The answer in one sentence.', z.string()),
  caveats: about('What limits the figures, one sentence each.', z.array(z.string())),
  methodVersion: about('Version of the method that made the figures.', z.string()),
  ts: about('Time of this answer, UTC.', TimestampSchema),
}

export type TokenWarning = (typeof TOKEN_WARNINGS)[number]
export type WindowName = (typeof WINDOWS)[number]
export type TokenAmount = z.infer<typeof TokenAmountSchema>
export type TokenAddress = z.infer<typeof TokenAddressSchema>
export type TokenWindow = z.infer<typeof TokenWindowSchema>
/** Fields that all token answers share. */
export type TokenAnswer = {
  [Field in keyof typeof answerShape]: z.infer<(typeof answerShape)[Field]>
}
