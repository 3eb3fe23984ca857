import * as z from 'zod/mini'
import * as f from './fields.ts'

/** Windows of the token operations. */
export const WINDOWS = ['5m', '15m', '1h', '6h', '24h'] as const

const AmountTextSchema = z.string().check(z.regex(/^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/))
/** Fields of an amount. */
export const amountShape = {
  raw: f.atomic('Amount in the smallest unit of the token, as decimal digits.'),
  amount: f.about(
    'The same amount in token units; null if the decimals are unknown.',
    z.nullable(AmountTextSchema),
  ),
}

export const TokenAmountSchema = f.model('TokenAmount', 'An amount of a token.', amountShape)

export const SignedTokenAmountSchema = f.model(
  'SignedTokenAmount',
  'A difference of amounts. Negative: a loss.',
  {
    raw: f.about(
      'Difference in the smallest unit of the token, as decimal digits with a sign.',
      z.string().check(z.regex(/^-?(0|[1-9][0-9]*)$/)),
    ),
    amount: f.about(
      'The same difference in token units; null if the decimals are unknown.',
      z.nullable(AmountTextSchema),
    ),
  },
)

const ADDRESS_KINDS = [
  'burn',
  'mint',
  'contract',
  'eoa',
  'pool',
  'router',
  'bridge',
  'exchange',
  'unknown',
] as const
/** Fields of an address. */
export const addressShape = {
  address: f.about('The address, checksummed.', f.AddressSchema),
  kind: f.oneOf('Kind of the address; unknown if it could not be read.', ADDRESS_KINDS),
  label: z.nullable(f.text('Name of the address; null if none is known.')),
  labelSource: z.nullable(f.text('URL of the source of the label; null without a label.')),
}

export const TokenAddressSchema = f.model('TokenAddress', 'An address of the chain.', addressShape)

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

/** Warnings about a token. */
export const tokenWarnings = f.listOf('Codes of what was found about the token.', z.enum(TOKEN_WARNINGS))

const TokenInfoSchema = f.model(
  'TokenInfo',
  'What the token contract reports, and what was found about it.',
  {
    address: f.about('Contract address, checksummed.', f.AddressSchema),
    name: z.nullable(f.text('Name that the contract reports; null if it reports none.')),
    symbol: z.nullable(f.text('Symbol that the contract reports; null if it reports none.')),
    decimals: z.nullable(f.whole('Decimals that the contract reports; null if it reports none.')),
    decimalsSource: f.oneOf('How the decimals were read.', ['call', 'bytes32', 'unknown']),
    isContract: f.bool('Whether the address has code.'),
    implementation: f.about('Code behind a proxy; null if it is none.', z.nullable(f.AddressSchema)),
    warnings: tokenWarnings,
  },
)

const TokenWindowSchema = f.model('TokenWindow', 'The blocks that the figures cover.', {
  name: f.oneOf('Length of the window, as asked for.', WINDOWS),
  fromBlock: f.whole('First block.'),
  toBlock: f.whole('Last block.'),
  fromTime: f.time('Time of the first block, UTC.'),
  toTime: f.time('Time of the last block, UTC.'),
  headLagBlocks: f.whole('Blocks between the last block and the head of the chain.'),
  finality: f.oneOf('Finality of the last block.', ['latest', 'safe', 'finalized']),
  complete: f.bool('Whether all blocks of the window were read, the final ones twice with the same result.'),
  truncated: f.bool('Whether the window holds more transfers than one answer may cover.'),
  ranges: f.list('Ranges of blocks that were read.', {
    from: f.whole('First block of the range.'),
    to: f.whole('Last block of the range.'),
  }),
})

/** Fields that all token answers share. */
export const answerShape = {
  token: f.about('The token.', TokenInfoSchema),
  window: TokenWindowSchema,
  summary: f.text('The answer in one sentence.'),
  caveats: f.texts('What limits the figures, one sentence each.'),
  methodVersion: f.text('Version of the method that made the figures.'),
  ts: f.time('Time of this answer, UTC.'),
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
