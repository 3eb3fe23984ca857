import { hash, randomBytes } from 'node:crypto'

/** Ways to prove that one holds a host. */
export const CLAIM_METHODS = ['file', 'dns', 'signature'] as const
export type ClaimMethod = (typeof CLAIM_METHODS)[number]

const SECRET_BYTES = 32
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** Path of the file that a claimed host serves. */
export const CLAIM_FILE = '/.well-known/touchstone.txt'

/** Returns the name whose TXT record a claimed host sets. */
export const claimName = (host: string) => `_touchstone.${hostnameOf(host)}`

/** Returns a host without its port. */
export const hostnameOf = (host: string) => new URL(`http://${host}`).hostname

/** Returns a new secret of a claimant. */
export const newClaimSecret = () => randomBytes(SECRET_BYTES).toString('base64url')

/** Whether a text has the form of a secret. */
export const isClaimSecret = (text: string) => SECRET.test(text)

/**
 * Returns the token that a host publishes for a claimant. It commits to the secret, which the claimant keeps: everybody
 * can read the token, and only the claimant can use it. It names host and service, so it is worth nothing at another,
 * and needs no record of hosts that are not claimed.
 * @param service public origin of the service
 */
export function claimToken(service: string, host: string, secret: string): string {
  const committed = hash('sha256', `touchstone claim 1\n${service}\n${host}\n${secret}`, 'base64url')
  return `touchstone-claim=${committed}`
}

/** Fields of the text by which a receiver claims its host. */
export type ClaimTerms = {
  readonly host: string
  /** Public origin of the service. */
  readonly service: string
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string
  readonly token: string
}

/** Builds the text that a receiver signs with `personal_sign` (EIP-191), in the form of `rotationMessage`. */
export function claimMessage({ host, service, date, token }: ClaimTerms): string {
  return [
    'x402 claim of host',
    `host: ${host}`,
    `service: ${service}`,
    `date: ${date}`,
    `token: ${token}`,
  ].join('\n')
}
