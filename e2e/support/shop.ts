import type { Economy } from '@touchstone402/economy'
import {
  type Answers,
  BLIND_CONFIRMATION,
  createAnswerCache,
  createFacilitator,
  createHttpApp,
  createHttpServer,
  createPaymentContext,
  createPaywall,
  createSignatureCheck,
  createSmallAnswers,
  FACILITATOR_LIMITS,
  type FacilitatorOptions,
  type HttpDeps,
  type Log,
  type PaywallParts,
  type Store,
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
  /** Receives log lines of payments. @default ignored */
  log?: Log
  /** Store for responses that are too large for memory. @default none */
  snapshots?: NonNullable<HttpDeps['snapshots']>
  /** Proxies in front, and the limit of free calls. @default none, that of the service */
  http?: Pick<HttpDeps, 'trustProxy' | 'rateLimit'>
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
  const app = createHttpApp({
    cache: createAnswerCache({ now: Date.now, maxBytes: 1024 ** 2 }),
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
    clock: { now: Date.now },
    publicUrl,
    jwks: () => ({ keys: [] }),
    rateLimit: { points: 1_000_000, windowSeconds: 60 },
    ...options.http,
  })
  const { url: origin, stop: close } = await listen(createHttpServer(app))
  return { origin, runs, faults, close }
}
