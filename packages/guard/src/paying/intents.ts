import { type OtherOffer, sameAddress } from '@touchstone402/shared'
import type { PaymentFact } from '../errors.ts'
import { createLru } from '../lru.ts'
import type { AssetDomain, CheckedVerdict, PaymentIntent } from '../types.ts'
import type { CallRequest } from './calls/request.ts'
import type { PaymentScheme } from './scheme.ts'
import type { Authorization } from './signatures/authorization.ts'

/** An approved payment, good for one authorization. */
export type OpenIntent = {
  /** Shown to callers; its URL may hide the query. */
  intent: PaymentIntent
  /** Full URL of the call, after redirects. */
  url: string
  verdict: CheckedVerdict | null
  scheme: PaymentScheme
  domain: AssetDomain
  amount: bigint
  /** Id of the reservation in the ledger. */
  reservation: string
  /** Address that pays; null if the integration does not know it. */
  payer: string | null
  /** URL of the caller's request, before redirects. */
  requestedUrl: string
  /** Method of the caller's request, before redirects. */
  requestedMethod: string
  /** Unix time in ms of the approval. */
  openedAt: number
  /** Unix time in ms after which the intent expires. */
  expiresAt: number
  traceparent: string | null
  /** The authorization signed for it, or being signed. */
  signed: Authorization | null
  /** Whether the approved call went through the guard, so that it sees the payment leave; else it may leave unseen. */
  isSeen: boolean
  /** Hash of the body that was approved, see `identifyBody`; null if the integration does not know it. */
  body: string | null
  /** Whether a hooked client is paying for it. */
  claimed: boolean
  /** The challenge of another protocol than x402 that it answers. */
  other: OtherOffer | null
  /** The request that was answered with a 402, whose signal also aborts the payment; null if it is not known. */
  asked: CallRequest | null
  /** The live check that was bought for it. */
  liveCheck: PaymentFact | undefined
  /** Who may see the answer, see `audienceOf`; null if it is not shared. */
  audience: string | null
}

/** The open intents of a guard. Each is taken once or expires. */
export type Intents = ReturnType<typeof createIntents>

// Far more than can be valid at the same time.
const MAX_NONCES = 10_000

/** Creates an empty set of intents. */
export function createIntents() {
  const open = new Set<OpenIntent>()
  const used = createLru<true>(MAX_NONCES)
  return {
    open: (intent: OpenIntent) => void open.add(intent),
    /** Returns the intents of a method and URL, before or after redirects. */
    ofCall: (method: string, url: string): OpenIntent[] =>
      [...open].filter(
        (one) =>
          (one.intent.method === method && one.url === url) ||
          (one.requestedMethod === method && one.requestedUrl === url),
      ),
    all: (): OpenIntent[] => [...open],
    /** Returns the intent of a reservation. */
    find: (id: string): OpenIntent | undefined => [...open].find(({ reservation }) => reservation === id),
    /** Claims an intent for an authorization. Returns false if either was already used. */
    take(intent: OpenIntent, authorization: Authorization): boolean {
      const nonce = nonceKey(authorization)
      if (used.get(nonce) === true || !open.delete(intent)) return false
      used.set(nonce, true)
      return true
    },
    /** Reopens an intent whose authorization had no valid signature. */
    putBack(intent: OpenIntent, authorization: Authorization): void {
      used.delete(nonceKey(authorization))
      open.add(intent)
    },
    /** Removes an intent without an authorization. */
    withdraw: (intent: OpenIntent) => void open.delete(intent),
    /** Removes and returns the intents that are expired at `now`. */
    expire(now: number): OpenIntent[] {
      const expired = [...open].filter(({ expiresAt }) => expiresAt <= now)
      for (const intent of expired) open.delete(intent)
      return expired
    },
  }
}

const nonceKey = ({ from, nonce }: Authorization): string => `${from} ${nonce}`.toLowerCase()

/** Finds the open intent for which an authorization was signed. */
export function findHolder(intents: Intents, { nonce }: Authorization): OpenIntent | undefined {
  return intents.all().find(({ signed }) => signed?.nonce.toLowerCase() === nonce.toLowerCase())
}

/** Whether an authorization matches an intent but has expired since its approval. `now` is Unix time in ms. */
export function isTooLate(open: OpenIntent, authorization: Authorization, now: number): boolean {
  const end = Number(authorization.validBefore) * 1000
  return end <= now && end > open.openedAt && fitsIntent(open, authorization, end - 1000)
}

// Allows for rounding to seconds.
const SLACK_SECONDS = 1n

/** Whether an authorization matches an intent exactly. `now` is Unix time in ms. */
export function fitsIntent(open: OpenIntent, authorization: Authorization, now: number): boolean {
  const { from, to, value, validAfter, validBefore } = authorization
  const seconds = BigInt(Math.floor(now / 1000))
  return (
    (open.payer === null || sameAddress(from, open.payer)) &&
    open.scheme.fits(open, authorization) &&
    sameAddress(to, open.intent.payTo) &&
    value === open.amount &&
    validAfter <= seconds + SLACK_SECONDS &&
    validBefore > seconds &&
    validBefore <= seconds + BigInt(open.intent.maxTimeoutSeconds) + SLACK_SECONDS
  )
}
