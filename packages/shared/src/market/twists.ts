import type { Ask } from './offerForms.ts'

/** Values that a thief may use in its offers. */
export type TwistParts = {
  /** Address that gets diverted payments. */
  readonly thief: string
}

/** Changes the honest asks of a seller into those of a thief. */
type Twist = (asks: readonly Ask[], parts: TwistParts) => readonly Ask[]

const each =
  (change: (ask: Ask, parts: TwistParts) => Partial<Ask>): Twist =>
  (asks, parts) =>
    asks.map((ask) => ({ ...ask, ...change(ask, parts) }))

const times = (factor: bigint) => each(({ amount }) => ({ amount: (BigInt(amount) * factor).toString() }))
const FAKE_TOKEN = `0x${'fa'.repeat(20)}`
const TEN_YEARS = 315_360_000

/** The ways in which sellers change an honest offer to get more than they should, by name. */
export const TWISTS = {
  receiver: each((_, { thief }) => ({ payTo: thief })),
  price: times(3n),
  priceALot: times(1000n),
  token: each(() => ({ asset: FAKE_TOKEN })),
  domain: each(({ extra }) => ({ extra: { ...extra, name: 'Permit2' } })),
  chain: each(() => ({ network: 'eip155:84532' })),
  lifetime: each(() => ({ maxTimeoutSeconds: TEN_YEARS })),
  lifetimeText: each(() => ({ maxTimeoutSeconds: '60' })),
  amountText: each(({ amount }) => ({ amount: `0x${BigInt(amount).toString(16)}` })),
  amountZero: each(() => ({ amount: '0' })),
  amountNegative: each(({ amount }) => ({ amount: `-${amount}` })),
  permit2: each(({ extra }) => ({ extra: { ...extra, assetTransferMethod: 'permit2' } })),
  upfront: each(({ extra }) => ({ extra: { ...extra, paymentFlow: 'upfront' } })),
  /** A second offer to another receiver, beside the honest one. */
  secondReceiver: (asks, { thief }) => [...asks, ...asks.map((ask) => ({ ...ask, payTo: thief }))],
  /** A dear offer before the honest one. */
  dearFirst: (asks, parts) => [...times(50n)(asks, parts), ...asks],
} as const satisfies Record<string, Twist>

/** Name of a change of an honest offer. */
export type TwistName = keyof typeof TWISTS
