import { sameAddress } from '@touchstone402/shared'
import { createLru } from '../lru.ts'
import type { AssetDomain, CheckedVerdict, PaymentIntent } from '../types.ts'
import type { Authorization } from './authorization.ts'

/** An approved payment that may be made once. */
export type OpenIntent = {
  intent: PaymentIntent
  verdict: CheckedVerdict | null
  domain: AssetDomain
  amount: bigint
  /** The ledger's id of the reservation. */
  reservation: string
  /** The URL that the caller asked for, which a redirect may have led away from. */
  requestedUrl: string
  /** Milliseconds since 1970 from which on it is closed. */
  expiresAt: number
  traceparent: string | null
  /** The authorization that the guarded account has signed for it. */
  signed: Authorization | null
  /** Whether a payment is being made for it by a client with hooks, so that no other one is. */
  claimed: boolean
}

/** Keeps the open intents. Each is taken out once, or closed when its time is over. */
export type Intents = {
  open(intent: OpenIntent): void
  /** Open intents of a call: equal method and URL, either the one asked for or the one that was judged. */
  ofCall(method: string, url: string): OpenIntent[]
  all(): OpenIntent[]
  /** Takes an intent out for an authorization; false where somebody was quicker, or it was used before. */
  take(intent: OpenIntent, authorization: Authorization): boolean
  /** Puts an intent back whose authorization turned out not to be signed. */
  putBack(intent: OpenIntent, authorization: Authorization): void
  /** Takes an intent out that lets nothing out itself. */
  withdraw(intent: OpenIntent): void
  /** Takes out and returns what is over at `now`. */
  expire(now: number): OpenIntent[]
}

/** How long an approval waits for its payment, in milliseconds. */
export const INTENT_LIFETIME_MS = 120_000

// Far more than can be valid at once; older ones are expired in any case.
const MAX_NONCES = 10_000

/** An empty register of intents. */
export function createIntents(): Intents {
  const open = new Set<OpenIntent>()
  const used = createLru<true>(MAX_NONCES)
  return {
    open: (intent) => void open.add(intent),
    ofCall: (method, url) =>
      [...open].filter(
        ({ intent, requestedUrl }) =>
          intent.method === method && (intent.url === url || requestedUrl === url),
      ),
    all: () => [...open],
    take(intent, authorization) {
      const nonce = nonceKey(authorization)
      if (used.get(nonce) === true || !open.delete(intent)) return false
      used.set(nonce, true)
      return true
    },
    putBack(intent, authorization) {
      used.delete(nonceKey(authorization))
      open.add(intent)
    },
    withdraw: (intent) => void open.delete(intent),
    expire(now) {
      const over = [...open].filter(({ expiresAt }) => expiresAt <= now)
      for (const intent of over) open.delete(intent)
      return over
    },
  }
}

const nonceKey = ({ from, nonce }: Authorization): string => `${from} ${nonce}`.toLowerCase()

/** The open intent for which an authorization was signed. */
export function findHolder(intents: Intents, { nonce }: Authorization): OpenIntent | undefined {
  return intents.all().find(({ signed }) => signed?.nonce.toLowerCase() === nonce.toLowerCase())
}

// Clocks of one machine agree; the second of slack is for rounding.
const SLACK_SECONDS = 1n

/** Whether an authorization is exactly what an intent approves, at the time `now` in milliseconds since 1970. */
export function fitsIntent(open: OpenIntent, authorization: Authorization, now: number): boolean {
  const { to, value, validAfter, validBefore } = authorization
  const seconds = BigInt(Math.floor(now / 1000))
  return (
    sameAddress(to, open.intent.payTo) &&
    value === open.amount &&
    validAfter <= seconds + SLACK_SECONDS &&
    validBefore > seconds &&
    validBefore <= seconds + BigInt(open.intent.maxTimeoutSeconds) + SLACK_SECONDS
  )
}
