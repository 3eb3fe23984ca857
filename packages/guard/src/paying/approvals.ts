import { sameAddress } from '@touchstone402/shared'
import type { PricedOffer } from '../decide/screen.ts'
import type { Report } from '../errors.ts'
import { createLru } from '../lru.ts'
import type { CheckedVerdict, PaymentIntent } from '../types.ts'
import type { CallRequest } from './calls/request.ts'
import type { PaymentScheme } from './scheme.ts'
import type { Authorization } from './signatures/authorization.ts'

/** A decision to pay an offer for one request. It is good for one authorization. */
export type Approval = PricedOffer & {
  /** Public description; its URL may hide the query. */
  intent: PaymentIntent
  /** Full URL of the call, after redirects. */
  url: string
  verdict: CheckedVerdict | null
  scheme: PaymentScheme
  /** Id of its payment in the ledger. */
  paymentId: string
  /** Address that pays; null if the integration does not know it. */
  payer: string | null
  /** URL of the caller's request, before redirects. */
  requestedUrl: string
  /** Method of the caller's request, before redirects. */
  requestedMethod: string
  /** Unix time in ms of the approval. */
  openedAt: number
  /** Unix time in ms after which it expires. */
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
  /** The request that was answered with a 402, whose signal also aborts the payment; null if it is not known. */
  asked: CallRequest | null
  /** The live check that was bought for it. */
  liveCheck: Report | undefined
  /** Who may see the answer, see `audienceOf`; null if it is not shared. */
  audience: string | null
}

/** The open approvals of a guard. Each is taken once or expires. */
export type Approvals = ReturnType<typeof createApprovals>

// Far more than can be valid at the same time.
const MAX_NONCES = 10_000

/** Creates an empty set of approvals. */
export function createApprovals() {
  const open = new Set<Approval>()
  const used = createLru<true>(MAX_NONCES)
  return {
    open: (approval: Approval) => void open.add(approval),
    /** Returns the approvals of a method and URL, before or after redirects. */
    ofCall: (method: string, url: string): Approval[] =>
      [...open].filter(
        (one) =>
          (one.intent.method === method && one.url === url) ||
          (one.requestedMethod === method && one.requestedUrl === url),
      ),
    all: (): Approval[] => [...open],
    /** Returns the approval of a payment. */
    find: (id: string): Approval | undefined => [...open].find(({ paymentId }) => paymentId === id),
    /** Claims an approval for an authorization. Returns false if either was already used. */
    take(approval: Approval, authorization: Authorization): boolean {
      const nonce = nonceKey(authorization)
      if (used.get(nonce) === true || !open.delete(approval)) return false
      used.set(nonce, true)
      return true
    },
    /** Reopens an approval whose authorization had no valid signature. */
    putBack(approval: Approval, authorization: Authorization): void {
      used.delete(nonceKey(authorization))
      open.add(approval)
    },
    /** Removes an approval without an authorization. */
    withdraw: (approval: Approval) => void open.delete(approval),
    /** Removes and returns the approvals that are expired at `now`. */
    expire(now: number): Approval[] {
      const expired = [...open].filter(({ expiresAt }) => expiresAt <= now)
      for (const approval of expired) open.delete(approval)
      return expired
    },
  }
}

const nonceKey = ({ from, nonce }: Authorization): string => `${from} ${nonce}`.toLowerCase()

/** Finds the open approval for which an authorization was signed. */
export function findHolder(approvals: Approvals, { nonce }: Authorization): Approval | undefined {
  return approvals.all().find(({ signed }) => signed?.nonce.toLowerCase() === nonce.toLowerCase())
}

/** Whether an authorization matches an approval but has expired since its approval. `now` is Unix time in ms. */
export function isTooLate(open: Approval, authorization: Authorization, now: number): boolean {
  const end = Number(authorization.validBefore) * 1000
  return end <= now && end > open.openedAt && fitsApproval(open, authorization, end - 1000)
}

// Allows for rounding to seconds.
const SLACK_SECONDS = 1n

/** Whether an authorization matches an approval exactly. `now` is Unix time in ms. */
export function fitsApproval(open: Approval, authorization: Authorization, now: number): boolean {
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
