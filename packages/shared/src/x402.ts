import { splitAuthenticate } from './authenticate.ts'
import { asObject, decodeBase64Json } from './base64Json.ts'
import { declares, readResource } from './challengeDocument.ts'
import { ATOMIC_PATTERN } from './money.ts'
import { ACCOUNT_PATTERN, ADDRESS_PATTERN, toCaip2 } from './networks.ts'
import type { OtherOffer } from './otherOffers.ts'
import { parseJson } from './parseJson.ts'

/** Header names of x402. Source: x402 specification v1 (`X-…`) and v2. */
export const X402_HEADERS = {
  required: 'PAYMENT-REQUIRED',
  signature: 'PAYMENT-SIGNATURE',
  response: 'PAYMENT-RESPONSE',
  v1Payment: 'X-PAYMENT',
  v1Response: 'X-PAYMENT-RESPONSE',
} as const

/** One entry of `accepts`. Only its shape is validated. */
export type Offer = {
  x402Version: 1 | 2
  /** Stock clients read v2 offers in the header and v1 offers in the body. */
  source: 'header' | 'body'
  scheme: string
  /** CAIP-2 id. v1 names are translated, except those that no table has. */
  network: string
  asset: string
  payTo: string
  /** Amount in the smallest unit of the asset. */
  amountAtomic: string
  /** Declared timeout in seconds: any positive integer. The policy limits it. */
  maxTimeoutSeconds: number
  extra: Readonly<Record<string, unknown>>
  /** The original entry, to pass on unchanged. */
  raw: Readonly<Record<string, unknown>>
  /** The challenge of another protocol that the offer was read from. @default x402 */
  other?: OtherOffer
}

/** Why a part of a challenge is invalid. */
export type ChallengeProblemCode =
  | 'header_not_base64_json'
  | 'header_too_large'
  | 'body_too_large'
  | 'version_unknown'
  | 'accepts_missing'
  | 'accepts_too_many'
  | 'entry_malformed'
  | 'entry_unsupported'
  | 'network_unknown'
  | 'payto_malformed'
  | 'asset_malformed'
  | 'challenge_misplaced'
  /** JSON that some clients read and this decoder cannot: too large, or under a newer coding. Found by the prober. */
  | 'body_hidden'
  /** The response asks for payment by another protocol alone. */
  | 'protocol_other'
  /** Two protocols ask for different payments. Found by `findProtocolConflict`, not by the decoder. */
  | 'protocols_disagree'

/** A part of a challenge that is invalid. Contains no text of the seller; `field` is a name of the specification. */
export type ChallengeProblem = {
  code: ChallengeProblemCode
  source: 'header' | 'body'
  index?: number
  /** The wrong field of the entry. */
  field?: string
}

/** Entries with the same network, asset and scheme that name different receivers, or different amounts in different places. */
export type Disagreement = {
  field: 'payTo' | 'amount'
  network: string
  asset: string
  scheme: string
  values: string[]
}

/** Decoded challenge of a 402 response. `offers` is empty if nothing in it can be paid. */
export type Challenge = {
  offers: Offer[]
  /** `WWW-Authenticate` header if it asks for payment by other protocols, see `readOtherOffers`; otherwise null. */
  authenticate: string | null
  /** Protocol versions of the offers, ascending. */
  versions: (1 | 2)[]
  /** URL of the resource that the challenge states, preferably in the v2 header. */
  resource: string | null
  /** Whether the challenge declares the input of the endpoint. */
  declaresInput: boolean
  /** Whether the challenge declares the output of the endpoint. */
  declaresOutput: boolean
  problems: ChallengeProblem[]
  disagreements: Disagreement[]
  /** Decoded header document. */
  header: Readonly<Record<string, unknown>> | null
  /** Decoded body document. */
  body: Readonly<Record<string, unknown>> | null
}

const MAX_HEADER = 64 * 1024
const MAX_BODY = 256 * 1024
const MAX_ENTRIES = 64
/** Anything that may be a name: whether a table has it is another question. */
const NETWORK = /^.{1,128}$/
/** Words for the coin of an EVM network. Sources: offer-receipt extension section 4.2 (`native`); symbols of the coins. */
const NATIVE_WORD = /^(native|ETH|BNB|POL)$/

/** The parts of a 402 response that ask for payment. */
export type ChallengeParts = {
  /** `PAYMENT-REQUIRED` header. */
  readonly header: string | null
  readonly body: string | null
  /** `WWW-Authenticate` header, in which other protocols ask. @default null */
  readonly authenticate?: string | null | undefined
}

/**
 * Decodes the challenge of a 402 response from its `PAYMENT-REQUIRED` header and its body.
 *
 * Reads both if both are present. Reports and skips malformed entries; never throws.
 * Source: x402 specification v1 section 5.1 (body) and v2 section 5.1 (header, base64 JSON).
 */
export function decodeChallenge(response: ChallengeParts): Challenge {
  const problems: ChallengeProblem[] = []
  const header = response.header === null ? null : decodeHeader(response.header, problems)
  const body = response.body === null ? null : decodeBody(response.body, problems)
  const offers = [...readOffers(header, 'header', problems), ...readOffers(body, 'body', problems)]
  const asksOtherwise = splitAuthenticate(response.authenticate).paying.length > 0
  const [first] = offers
  if (first !== undefined && offers.every(isMisplaced)) {
    problems.push({ code: 'challenge_misplaced', source: first.source })
  }
  if (first === undefined && problems.length === 0 && asksOtherwise) {
    problems.push({ code: 'protocol_other', source: 'header' })
  }
  return {
    offers,
    authenticate: asksOtherwise ? (response.authenticate ?? null) : null,
    versions: versionsOf(offers),
    resource: readResource(header, body),
    declaresInput: declares('input', header) || declares('input', body),
    declaresOutput: declares('output', header) || declares('output', body),
    problems,
    disagreements: findDisagreements(offers),
    header,
    body,
  }
}

/** Whether stock clients of the version do not look where the offer is. */
const isMisplaced = ({ x402Version, source }: Offer) => source !== (x402Version === 2 ? 'header' : 'body')

function decodeHeader(text: string, problems: ChallengeProblem[]): Record<string, unknown> | null {
  if (text.length > MAX_HEADER) {
    problems.push({ code: 'header_too_large', source: 'header' })
    return null
  }
  const document = decodeBase64Json(text)
  if (document === undefined) problems.push({ code: 'header_not_base64_json', source: 'header' })
  return document ?? null
}

function decodeBody(text: string, problems: ChallengeProblem[]): Record<string, unknown> | null {
  if (text.length > MAX_BODY) {
    problems.push({ code: 'body_too_large', source: 'body' })
    return null
  }
  try {
    const document = asObject(parseJson(text))
    // With a v2 header the body may be any JSON; it is a challenge only if it states a version.
    return document !== undefined && 'x402Version' in document ? document : null
  } catch {
    return null
  }
}

function readOffers(
  document: Record<string, unknown> | null,
  source: 'header' | 'body',
  problems: ChallengeProblem[],
): Offer[] {
  if (document === null) return []
  const version = document.x402Version
  if (version !== 1 && version !== 2) {
    problems.push({ code: 'version_unknown', source })
    return []
  }
  if (!Array.isArray(document.accepts) || document.accepts.length === 0) {
    problems.push({ code: 'accepts_missing', source })
    return []
  }
  if (document.accepts.length > MAX_ENTRIES) {
    problems.push({ code: 'accepts_too_many', source })
    return []
  }
  const offers: Offer[] = []
  document.accepts.forEach((entry: unknown, index: number) => {
    const offer = readOffer(entry, version, source)
    if ('code' in offer) problems.push({ ...offer, source, index })
    else offers.push(offer)
  })
  return offers
}

type Fault = Pick<ChallengeProblem, 'code' | 'field'>

const malformed = (field: string): Fault => ({ code: 'entry_malformed', field })

function readOffer(entry: unknown, x402Version: 1 | 2, source: 'header' | 'body'): Offer | Fault {
  const raw = asObject(entry)
  if (raw === undefined) return { code: 'entry_malformed' }
  const { scheme, network: declared, asset, payTo, maxTimeoutSeconds } = raw
  // In use, but without a published specification of its fields.
  if (scheme === 'deferred') return { code: 'entry_unsupported' }
  const amountField = x402Version === 1 ? 'maxAmountRequired' : 'amount'
  const amountAtomic = raw[amountField]
  if (typeof declared !== 'string' || !NETWORK.test(declared)) return malformed('network')
  const network = toCaip2(declared, x402Version)
  // First, since another network has other fields: Cloudflare's leaves the timeout out.
  if (network === undefined) return { code: 'network_unknown' }
  if (typeof scheme !== 'string' || !/^[a-zA-Z][\w-]{0,31}$/.test(scheme)) return malformed('scheme')
  if (typeof amountAtomic !== 'string') return malformed(amountField)
  if (
    typeof maxTimeoutSeconds !== 'number' ||
    !Number.isSafeInteger(maxTimeoutSeconds) ||
    maxTimeoutSeconds <= 0
  ) {
    return malformed('maxTimeoutSeconds')
  }
  if (!ATOMIC_PATTERN.test(amountAtomic)) {
    // Currencies that are issued on the XRP Ledger have decimal amounts.
    return network.startsWith('xrpl:') ? { code: 'entry_unsupported' } : malformed(amountField)
  }
  const account = network.startsWith('eip155:') ? ADDRESS_PATTERN : ACCOUNT_PATTERN
  if (typeof payTo !== 'string' || !account.test(payTo)) return { code: 'payto_malformed', field: 'payTo' }
  if (typeof asset !== 'string' || !account.test(asset)) {
    const isNative = typeof asset === 'string' && NATIVE_WORD.test(asset)
    return isNative ? { code: 'entry_unsupported' } : { code: 'asset_malformed', field: 'asset' }
  }
  const extra = asObject(raw.extra ?? {})
  if (extra === undefined) return malformed('extra')
  return { x402Version, source, scheme, network, asset, payTo, amountAtomic, maxTimeoutSeconds, extra, raw }
}

/** Returns the protocol versions of offers, ascending. */
export function versionsOf(offers: readonly Pick<Offer, 'x402Version'>[]): (1 | 2)[] {
  return [...new Set(offers.map((offer) => offer.x402Version))].sort()
}

type Compared = Pick<
  Offer,
  'x402Version' | 'source' | 'network' | 'asset' | 'scheme' | 'payTo' | 'amountAtomic'
>

/** Finds the offers of equal network, asset and scheme that contradict each other. */
export function findDisagreements(offers: readonly Compared[]): Disagreement[] {
  const groups = new Map<string, Compared[]>()
  for (const offer of offers) {
    const key = `${offer.network} ${offer.asset.toLowerCase()} ${offer.scheme}`
    groups.set(key, [...(groups.get(key) ?? []), offer])
  }
  const found: Disagreement[] = []
  for (const group of groups.values()) {
    const [first] = group
    if (first === undefined) continue
    const { network, asset, scheme } = first
    const receivers = [
      ...new Set(group.map(({ payTo }) => (payTo.startsWith('0x') ? payTo.toLowerCase() : payTo))),
    ]
    // Amounts of one place are tiers.
    const highest = new Map<string, string>()
    for (const { x402Version, source, amountAtomic } of group) {
      const place = x402Version + source
      if (BigInt(amountAtomic) >= BigInt(highest.get(place) ?? 0)) highest.set(place, amountAtomic)
    }
    const amounts = [...new Set(highest.values())]
    if (receivers.length > 1) found.push({ field: 'payTo', network, asset, scheme, values: receivers })
    if (amounts.length > 1) found.push({ field: 'amount', network, asset, scheme, values: amounts })
  }
  return found
}
