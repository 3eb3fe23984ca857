import { hash, randomBytes } from 'node:crypto'
import type { Time } from '../facts/facts.ts'

/** Ways to prove that one runs a host. */
export const CLAIM_METHODS = ['file', 'dns'] as const
export type ClaimMethod = (typeof CLAIM_METHODS)[number]

/** A proven host claim, as it is stored. */
export type HostClaim = {
  readonly host: string
  readonly method: ClaimMethod
  /** The published token. */
  readonly token: string
  /** When it was first proven. */
  readonly since: Time
  readonly checkedAt: Time
  /** When a check last passed. */
  readonly heldAt: Time
  /** Daily checks that failed since the last that passed. */
  readonly failures: number
}

/** Request to claim a host. */
export type ClaimRequest = Pick<HostClaim, 'host' | 'method'> & { readonly secret: string }

/** Error of a form field. */
export type FieldFault = { readonly parameter: string; readonly code: string; readonly message: string }

/** Why a host claim is not proven. */
export type ClaimFault = Pick<FieldFault, 'code' | 'message'> & {
  /** Whether our network or resolver may be at fault. @default false */
  readonly isOurs?: boolean
}

const SECRET_BYTES = 32
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** Start of every token. */
export const TOKEN_PREFIX = 'touchstone-claim='

/** Path of the file that a claimed host serves. */
export const CLAIM_FILE = '/.well-known/touchstone.txt'

/** Returns a host without its port. */
export const hostnameOf = (host: string) => new URL(`http://${host}`).hostname

/** Returns the name whose TXT record a claimed host sets. */
export const claimName = (host: string) => `_touchstone.${hostnameOf(host)}`

/** Returns a new secret for a claimant. */
export const newClaimSecret = () => randomBytes(SECRET_BYTES).toString('base64url')

/** Whether a text has the form of a secret. */
export const isClaimSecret = (text: string) => SECRET.test(text)

/**
 * Returns the token that a host publishes for a claimant: a hash of the secret, which the claimant keeps. Everybody can
 * read the token, and only the claimant can use it. It names host and service, so it is worth nothing at another.
 * @param service public origin of the service
 */
export function claimToken(service: string, host: string, secret: string): string {
  return TOKEN_PREFIX + hash('sha256', `touchstone claim 1\n${service}\n${host}\n${secret}`, 'base64url')
}
