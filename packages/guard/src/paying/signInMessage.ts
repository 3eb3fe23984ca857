import { asObject } from '@touchstone402/shared'

/** A sign-in that a 402 asked for. Source: specs/extensions/sign-in-with-x.md; EIP-4361 for the message. */
export type SignIn = {
  /** URL that asked, without redirects. */
  url: string
  method: string
  /** Canonical URL. */
  endpoint: string
  /** The fields of the message, checked. */
  info: SignInInfo
  /** CAIP-2 ids, as the seller lists them. */
  chains: string[]
  /** Unix time in ms. */
  expiresAt: number
  /** Whether the seller asks for nothing else. */
  isAlone: boolean
  /** Reservation of the payment that it may take the place of; null without one. */
  paymentId: string | null
  /** Whether it was signed or sent. */
  isUsed: boolean
}

type SignInInfo = Readonly<Record<(typeof REQUIRED)[number], string>> & {
  readonly [Name in (typeof OPTIONAL)[number]]?: string
} & { readonly resources?: readonly string[] }

/** Name of the extension, and of the header that carries its proof. */
export const SIGN_IN = 'sign-in-with-x'
const REQUIRED = ['domain', 'uri', 'version', 'nonce', 'issuedAt'] as const
const OPTIONAL = ['statement', 'expirationTime', 'notBefore', 'requestId'] as const
/** Fields of the message that a proof repeats. */
export const INFO_FIELDS = [...REQUIRED, ...OPTIONAL, 'resources'] as const

// The stock server takes messages of at most 5 minutes, and none of the future.
const FRESH_MS = 5 * 60_000
const SKEW_MS = 60_000
const LONGEST_MS = 24 * 3_600_000
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/
// No line breaks, which would add fields to the message.
const TEXT = /^[^\p{C}\p{Zl}\p{Zp}]{1,1000}$/u
const MAX_LISTED = 16
// Parsers do not agree about what else stands before the path, such as a user or a backslash.
const PLAIN_URL = /^https?:\/\/[^/?#\\@\s]+(?:[/?#][^\\\s]*)?$/

/**
 * Reads the sign-in message of a seller. Undefined unless each field is bound to the URL that asked: the domain names its
 * host, URI and resources its origin and path, and the times are near.
 */
export function readSignInInfo(
  extension: unknown,
  url: string,
  now: number,
): Pick<SignIn, 'info' | 'chains' | 'expiresAt'> | undefined {
  const { info: given, supportedChains } = asObject(extension) ?? {}
  const info = readFields(asObject(given) ?? {})
  if (info === undefined || !Array.isArray(supportedChains)) return undefined
  const { origin, host, pathname } = new URL(url)
  // Of this path too: other tenants of the origin have others.
  const isOwn = (text: string) =>
    PLAIN_URL.test(text) &&
    URL.canParse(text) &&
    new URL(text).origin === origin &&
    new URL(text).pathname === pathname
  const { domain, uri, version, nonce, issuedAt, expirationTime, notBefore, resources = [] } = info
  if (domain !== host || !isOwn(uri) || !resources.every(isOwn)) return undefined
  if (version !== '1' || !/^[A-Za-z0-9]{8,128}$/.test(nonce)) return undefined
  const [issued, ends, begins] = [issuedAt, expirationTime ?? issuedAt, notBefore ?? issuedAt].map(readTime)
  if (issued === undefined || ends === undefined || begins === undefined) return undefined
  if (Math.abs(now - issued) > FRESH_MS || issued > now + SKEW_MS || begins > now + SKEW_MS) return undefined
  if (expirationTime !== undefined && (ends <= now || ends > issued + LONGEST_MS)) return undefined
  const chains = supportedChains.slice(0, MAX_LISTED).flatMap((one) => {
    const { chainId, type } = asObject(one) ?? {}
    return type === 'eip191' && typeof chainId === 'string' && /^eip155:\d{1,12}$/.test(chainId)
      ? chainId
      : []
  })
  return { info, chains, expiresAt: issued + FRESH_MS }
}

function readFields(given: Record<string, unknown>): SignInInfo | undefined {
  const info: Record<string, unknown> = {}
  for (const name of INFO_FIELDS) {
    const value = given[name]
    if (value === undefined && !(REQUIRED as readonly string[]).includes(name)) continue
    const texts = name === 'resources' ? value : [value]
    if (!Array.isArray(texts) || texts.length > MAX_LISTED) return undefined
    if (!texts.every((text) => typeof text === 'string' && TEXT.test(text))) return undefined
    info[name] = value
  }
  return info as SignInInfo
}

const readTime = (text: string): number | undefined =>
  (TIME.test(text) ? Date.parse(text) : Number.NaN) || undefined

/** Writes the message to sign. Source: EIP-4361. */
export function writeMessage({ info }: SignIn, chain: string, address: string): string {
  const { domain, statement, uri, version, nonce, issuedAt, expirationTime, notBefore, requestId } = info
  const optional = (label: string, value: string | undefined) =>
    value === undefined ? [] : [`${label}: ${value}`]
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    ...(statement === undefined ? [] : [statement]),
    '',
    `URI: ${uri}`,
    `Version: ${version}`,
    `Chain ID: ${chain.slice('eip155:'.length)}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    ...optional('Expiration Time', expirationTime),
    ...optional('Not Before', notBefore),
    ...optional('Request ID', requestId),
    ...(info.resources?.length ? ['Resources:', ...info.resources.map((one) => `- ${one}`)] : []),
  ].join('\n')
}
