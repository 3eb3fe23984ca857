import * as z from 'zod/mini'
import * as common from './common.ts'
import * as f from './fields.ts'
import { FlowSchema, MomentumSchema, PulseSchema, WhalesSchema } from './token.ts'
import { tokenWarnings } from './tokenAnswer.ts'

const TokenDayFailureSchema = f.model(
  'TokenDayFailure',
  'The last attempt to read a UTC day that gave nothing.',
  {
    date: f.day('The day.'),
    at: f.time('Time of the attempt, UTC.'),
    reason: f.text('Why, in one sentence.'),
  },
)

export const TokenDaySchema = f.model(
  'TokenDay',
  'The answers of the four token operations about one UTC day.',
  {
    date: f.day('The day.'),
    readAt: f.time('Time at which it was read, UTC.'),
    pulse: f.about('Activity. Its series has one part for each hour.', PulseSchema),
    whales: f.about('Large transfers, at most 25.', WhalesSchema),
    flow: f.about('Net flow by address.', FlowSchema),
    momentum: f.about('The day compared with the day before.', MomentumSchema),
  },
)

export const TokenPageSchema = f.model(
  'TokenPage',
  'The last finished UTC day of a token that could be read.',
  {
    asOf: common.asOf,
    token: f.about('Contract address, checksummed.', f.AddressSchema),
    network: f.text('Network, as a CAIP-2 id.'),
    isCovered: f.bool('Whether its days are read: by configuration, or since it was paid for within 7 days.'),
    day: f.about('The day; null if none was read.', z.nullable(TokenDaySchema)),
    failure: f.about(
      'The attempt after it that gave nothing; null if there is none.',
      z.nullable(TokenDayFailureSchema),
    ),
    live: f.list('Paid operations that read the token now.', {
      operation: f.text('Id of the operation.'),
      url: f.text('URL to call.'),
      priceUsd: f.usd('Price of a call in dollars.'),
    }),
  },
)

export const TokenListSchema = f.model('TokenList', 'Tokens whose last finished UTC day is read.', {
  asOf: common.asOf,
  tokens: f.list('Tokens: those of the configuration, then those that were paid for, newest first.', {
    token: f.about('Contract address, checksummed.', f.AddressSchema),
    name: z.nullable(f.text('Name that the contract reports; null if it is not known.')),
    symbol: z.nullable(f.text('Symbol that the contract reports; null if it is not known.')),
    warnings: tokenWarnings,
    date: z.nullable(f.day('The day that was read; null if none was.')),
    summary: z.nullable(f.text('That day in one sentence; null if none was read.')),
    isComplete: f.bool('Whether that day was read in full.'),
    page: f.text('URL of the page of the token.'),
  }),
})

export type TokenDay = z.infer<typeof TokenDaySchema>
export type TokenPage = z.infer<typeof TokenPageSchema>
export type TokenList = z.infer<typeof TokenListSchema>
