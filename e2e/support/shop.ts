import type { Economy } from '@touchstone402/economy'
import {
  type Answers,
  type AppChanges,
  BLIND_CONFIRMATION,
  createFacilitator,
  createHttpServer,
  createPaymentContext,
  createPaywall,
  createSignatureCheck,
  createSmallAnswers,
  createSmallApp,
  FACILITATOR_LIMITS,
  type FacilitatorOptions,
  type Log,
  type PaywallParts,
  type Store,
  systemClock,
  UNCHARGED_CALLS,
} from '@touchstone402/server/testing'
import type { PaidOperationId } from '@touchstone402/shared'
import { listen } from './serve.ts'

/** The service's HTTP app on a free port, selling small responses for real payments. */
export type Shop = {
  origin: string
  /** Number of handler runs per paid operation. */
  runs: Record<PaidOperationId, number>
  /** Faults that callers see as 503, with their step. */
  faults: string[]
  close(): Promise<void>
}

export type ShopOptions = {
  economy: {
    readonly facilitator: Pick<Economy['facilitator'], 'url'>
    readonly wallets: { readonly service: Pick<Economy['wallets']['service'], 'address'> }
    readonly chain: Pick<Economy['chain'], 'network'>
  }
  store: Store
  answers?: Partial<Answers>
  /** @default https://trust.example */
  publicUrl?: string
  /** Runs before each paid handler answers. */
  beforeAnswer?: (id: PaidOperationId) => Promise<void> | void
  facilitator?: Partial<FacilitatorOptions>
  /** Parts of the paywall. @default those of the service, but no answer waits for the chain, and it shows no payment */
  paywall?: Partial<PaywallParts>
  /** Receives log lines of payments and faults. @default ignored */
  log?: Log
  /** Store for responses that are too large for memory. @default none */
  snapshots?: NonNullable<AppChanges['snapshots']>
  /** Settings of the service, such as the proxies in front. @default none in front, and free calls are not limited */
  config?: NonNullable<AppChanges['config']>
}

/** Opens the shop. */
export async function openShop(options: ShopOptions): Promise<Shop> {
  const { economy, store, beforeAnswer, publicUrl = 'https://trust.example' } = options
  const runs = { trust: 0, trustHistory: 0 } as Record<PaidOperationId, number>
  const faults: string[] = []
  const { ctx } = createPaymentContext(store, {
    payTo: economy.wallets.service.address,
    network: economy.chain.network,
    publicUrl,
    trustProxy: 0,
    rateLimitPerMinute: 1_000_000,
    ...options.config,
  })
  const log: Log = (level, message, fields) => {
    const { event, step, reason } = fields
    if (event === 'payment_failed') faults.push(`${step}: ${reason}`)
    options.log?.(level, message, fields)
  }
  const small = { ...createSmallAnswers(), ...options.answers }
  const note = async (id: PaidOperationId) => {
    runs[id] += 1
    await beforeAnswer?.(id)
  }
  const app = createSmallApp({
    clock: systemClock,
    config: ctx.config,
    log,
    store,
    answers: {
      ...small,
      trust: async (query, context) => {
        await note('trust')
        return small.trust(query, context)
      },
      trustHistory: async (query, context) => {
        await note('trustHistory')
        return small.trustHistory(query, context)
      },
    },
    paywall: createPaywall(
      { ...ctx, log },
      {
        facilitator: createFacilitator({
          url: economy.facilitator.url,
          headers: {},
          ...FACILITATOR_LIMITS,
          ...options.facilitator,
        }),
        confirmation: BLIND_CONFIRMATION,
        speaksV1: true,
        uncharged: UNCHARGED_CALLS,
        isSignedByPayer: createSignatureCheck(),
        ...options.paywall,
      },
    ),
    ...(options.snapshots && { snapshots: options.snapshots }),
  })
  const metrics = { connectionRefused: () => {} }
  const server = createHttpServer({ config: ctx.config, log, metrics }, app)
  const { url: origin, stop: close } = await listen(server)
  return { origin, runs, faults, close }
}
