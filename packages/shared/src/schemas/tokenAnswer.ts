import * as z from 'zod/mini'
import { AddressSchema, AtomicSchema, CountSchema, named, TimestampSchema } from '../primitives.ts'

/** Windows of the token operations. */
export const WINDOWS = ['5m', '15m', '1h', '6h', '24h'] as const

const AmountTextSchema = z.string().check(z.regex(/^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/))
/** Fields of an amount. */
export const amountShape = { raw: AtomicSchema, amount: z.nullable(AmountTextSchema) }

export const TokenAmountSchema = named(
  'TokenAmount',
  'An amount in the smallest unit, and in token units if the decimals are known.',
  z.object(amountShape),
)

export const SignedTokenAmountSchema = named(
  'SignedTokenAmount',
  'A difference of amounts. Negative: a loss.',
  z.object({ raw: z.string().check(z.regex(/^-?(0|[1-9][0-9]*)$/)), amount: z.nullable(AmountTextSchema) }),
)

/** Fields of an address. */
export const addressShape = {
  address: AddressSchema,
  kind: z.enum(['burn', 'mint', 'contract', 'eoa', 'pool', 'router', 'bridge', 'exchange', 'unknown']),
  label: z.nullable(z.string()),
  labelSource: z.nullable(z.string()),
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
    address: AddressSchema,
    name: z.nullable(z.string()),
    symbol: z.nullable(z.string()),
    decimals: z.nullable(CountSchema),
    decimalsSource: z.enum(['call', 'bytes32', 'unknown']),
    isContract: z.boolean(),
    implementation: z.nullable(AddressSchema),
    warnings: z.array(z.enum(TOKEN_WARNINGS)),
  }),
)

export const TokenWindowSchema = named(
  'TokenWindow',
  'The blocks that the figures cover.',
  z.object({
    name: z.enum(WINDOWS),
    fromBlock: CountSchema,
    toBlock: CountSchema,
    fromTime: TimestampSchema,
    toTime: TimestampSchema,
    headLagBlocks: CountSchema,
    finality: z.enum(['latest', 'safe', 'finalized']),
    complete: z.boolean(),
    truncated: z.boolean(),
    ranges: z.array(z.object({ from: CountSchema, to: CountSchema })),
  }),
)

/** Fields that all token answers share. */
export const answerShape = {
  token: TokenInfoSchema,
  window: TokenWindowSchema,
  summary: z.string(),
  caveats: z.array(z.string()),
  methodVersion: z.string(),
  ts: TimestampSchema,
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
