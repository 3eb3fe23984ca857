import type { PolicyInput } from '@touchstone402/guard'
import { type OfferForm, STOCK_FORMS, type TwistName, UPTO_FACILITATOR } from '@touchstone402/shared/market'
import fc from 'fast-check'
import type { RpcMood } from './outside/rpc.ts'
import type { Dealing } from './outside/sellers.ts'

/** A token of the proxy, its task and the most dollars that the task may cost. */
export type TokenSetUp = { readonly token: string; readonly name: string; readonly maxUsd: string }

/** A seller at the begin of a world. */
export type SellerSetUp = {
  readonly host: string
  readonly form: OfferForm
  /** In millionths of a dollar. */
  readonly price: number
  readonly isHonest: boolean
  readonly twist: TwistName | null
  readonly dealing: Dealing
}

/** Kinds of faults. A world has some of them, since all at once would end every call at its begin. */
const FAULTS = ['kill', 'disk', 'tamper', 'rpc', 'wallet', 'stop', 'twist', 'compact'] as const

/** Kinds of commands. */
export type CommandKind = 'always' | 'proxyPays' | 'agentsSign' | (typeof FAULTS)[number]

/** How a world begins. */
export type SetUp = {
  readonly seed: number
  readonly faults: readonly CommandKind[]
  readonly ledger: 'file' | 'memory'
  /** Whether agents sign by the proxy's `/sign` instead of having their calls paid. */
  readonly signs: boolean
  readonly policy: Limits
  readonly rpcs: readonly RpcMood[]
  /** By which the clock of the guard's machine is ahead, in ms. */
  readonly skewMs: number
  readonly sellers: readonly SellerSetUp[]
}

/** The limits of a policy that the books check, in millionths of a dollar. Null means no limit. */
export type Limits = {
  readonly perPayment: bigint
  readonly perHostDay: bigint
  readonly perReceiverDay: bigint | null
  readonly perDay: bigint
  readonly total: bigint | null
  readonly maxStrikes: number
}

/** Returns the kinds of commands of a world. */
export const kindsOf = ({ faults, signs }: SetUp): ReadonlySet<CommandKind> =>
  new Set<CommandKind>(['always', signs ? 'agentsSign' : 'proxyPays', ...faults])

export const TOKENS: readonly TokenSetUp[] = [
  { token: 'token-of-research', name: 'research', maxUsd: '0.06' },
  { token: 'token-of-shopping', name: 'shopping', maxUsd: '0.30' },
]

const toUsd = (micros: bigint) => (Number(micros) / 1e6).toFixed(6)

/** Returns the policy with these limits. No limit of pace, so that worlds reach their budgets. */
export function toPolicy({
  perPayment,
  perHostDay,
  perReceiverDay,
  perDay,
  total,
  maxStrikes,
}: Limits): PolicyInput {
  return {
    maxPerPaymentUsd: toUsd(perPayment),
    maxPerHostPerDayUsd: toUsd(perHostDay),
    maxPerReceiverPerDayUsd: perReceiverDay === null ? null : toUsd(perReceiverDay),
    maxPerDayUsd: toUsd(perDay),
    maxTotalUsd: total === null ? null : toUsd(total),
    maxStrikes,
    uptoFacilitators: [UPTO_FACILITATOR],
    velocity: { perHostPerMinute: 1000, identicalPerMinute: 1000 },
    newSeller: { perCallUsd: '0.05', perDayUsd: '0.20', allPerDayUsd: '0.40', deliveries: 3, priceFactor: 3 },
  }
}

const seller = (dealings: readonly Dealing[], twists: readonly TwistName[]) =>
  fc
    .record({
      form: fc.constantFrom<OfferForm[]>(...STOCK_FORMS, ...STOCK_FORMS, 'mpp', 'l402'),
      price: fc.constantFrom(1000, 10_000, 10_000, 20_000, 30_000),
      isHonest: fc.boolean(),
      // Most thieves begin with an honest offer, since no other is paid.
      twist: fc.option(fc.constantFrom(...twists), { nil: null, freq: 1 }),
      dealing: fc.constantFrom(...dealings),
    })
    // The other forms cannot be paid here, so no delivery is expected.
    .map((one) => ({ ...one, isHonest: one.isHonest && STOCK_FORMS.some((form) => form === one.form) }))

const micros = (...amounts: number[]) => fc.constantFrom(...amounts.map(BigInt))

/** Draws how a world begins. */
export function arbitrarySetUp(
  dealings: readonly Dealing[],
  twists: readonly TwistName[],
): fc.Arbitrary<SetUp> {
  return fc.record({
    seed: fc.nat(),
    faults: fc.subarray([...FAULTS], { maxLength: 4 }),
    ledger: fc.constantFrom('file', 'file', 'memory'),
    signs: fc.boolean(),
    policy: fc.record({
      perPayment: micros(50_000, 200_000),
      perHostDay: micros(60_000, 200_000),
      perReceiverDay: fc.option(micros(60_000, 100_000), { nil: null }),
      perDay: micros(100_000, 400_000),
      total: fc.option(micros(150_000, 500_000), { nil: null }),
      maxStrikes: fc.constantFrom(0, 1, 2, 100),
    }),
    rpcs: fc.constantFrom<RpcMood[][]>(
      [],
      ['honest'],
      ['old'],
      ['lags'],
      ['honest', 'honest'],
      ['hidesUses', 'honest'],
    ),
    skewMs: fc.constantFrom(0, 0, 20_000, -20_000),
    sellers: fc
      .array(seller(dealings, twists), { minLength: 3, maxLength: 3 })
      .map((drawn) => drawn.map((one, index) => ({ ...one, host: `s${index}.example` }))),
  })
}
