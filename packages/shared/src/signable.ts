import { asObject, decodeBase64Json, isRecord } from './base64Json.ts'
import { ACCOUNT_PATTERN, ADDRESS_PATTERN, readNetworkName } from './networks.ts'
import { type OtherOffer, readOtherOffers } from './otherOffers.ts'
import { parseJson } from './parseJson.ts'
import { type ChallengeParts, decodeChallenge, type Offer } from './x402.ts'

/** An entry of a 402 that some stock client of any version could sign. */
export type SignableOffer = Pick<
  Offer,
  'x402Version' | 'source' | 'scheme' | 'network' | 'asset' | 'payTo' | 'amountAtomic' | 'extra'
> & {
  /** Amount of a deposit, where one signature hands over more than the amount. */
  mostAtomic?: string
  /** Whether strict clients, the guard among them, skip the entry. */
  isLenient: boolean
  /** Protocol of the challenge. @default x402 */
  protocol?: 'mpp'
}

/** Networks of MPP methods that name none. Source: the methods of mppx 0.11. */
const MPP_CHAINS = new Map([['solana', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp']])
const MAX_ENTRIES = 256
const MAX_DOCUMENTS = 4
/** Prefix of networks that MPP names by a method alone, such as `mpp:stripe`. */
export const MPP_NETWORK = 'mpp:'

/**
 * Lists whatever some stock client of any version could sign from a 402: the entries of header, v1 body and v2 body, and
 * the challenges of MPP, in the order in which clients take them.
 *
 * Each entry is read as leniently as the most lenient client reads it: amounts as numbers, with leading zeros or in hex;
 * any timeout; networks by the name of either version, or with leading zeros; keys in any case. An entry whose keys differ
 * in case alone is read both ways.
 */
export function listSignable(parts: ChallengeParts): SignableOffer[] {
  const strict = new Set(decodeChallenge(parts).offers.map(keyOf))
  const documents = [...readHeaders(parts.header), ...readBody(parts.body)]
  const offers = documents.flatMap(({ document, source }) => {
    const version = readVersion(document.x402Version, source)
    const entries = version === undefined ? [] : listEntries(document.accepts)
    return entries.flatMap((entry) => {
      const readings = readEntry(entry).flatMap((reading) => toOffer(reading, version ?? 2, source) ?? [])
      return [...new Map(readings.map((offer) => [keyOf(offer), offer])).values()]
    })
  })
  return [
    ...offers.map((offer) => ({ ...offer, isLenient: !strict.has(keyOf(offer)) })),
    ...readOtherOffers(parts.authenticate).flatMap(toMppOffer),
  ]
}

type Document = { readonly document: Record<string, unknown>; readonly source: Offer['source'] }

/** Reads the header, or each of several that an HTTP client joined by commas. */
function readHeaders(header: string | null): Document[] {
  if (header === null) return []
  return header
    .split(',', MAX_DOCUMENTS)
    .map((text) => decodeBase64Json(text.trim()))
    .filter((document) => document !== undefined)
    .map((document) => ({ document, source: 'header' }))
}

function readBody(body: string | null): Document[] {
  try {
    const document = body === null ? undefined : asObject(parseJson(body))
    return document === undefined ? [] : [{ document, source: 'body' }]
  } catch {
    return []
  }
}

/** Clients take a document without a version for one of their own. */
function readVersion(version: unknown, source: Offer['source']): 1 | 2 | undefined {
  const stated = version ?? (source === 'header' ? 2 : 1)
  return stated === 1 || stated === '1' ? 1 : stated === 2 || stated === '2' ? 2 : undefined
}

function listEntries(accepts: unknown): Record<string, unknown>[] {
  const entries = Array.isArray(accepts) ? accepts.slice(0, MAX_ENTRIES) : [accepts]
  return entries.filter(isRecord)
}

/** An entry by its keys in lower case, without underscores. */
type Reading = ReadonlyMap<string, unknown>

const fold = (key: string) => key.replaceAll('_', '').toLowerCase()
const KEYS = ['scheme', 'network', 'asset', 'payTo', 'amount', 'maxAmountRequired', 'extra'] as const

/**
 * Reads an entry by its exact keys, as clients in JavaScript do, and by keys in any case, the last one first; each by the
 * field for the amount of either version.
 */
function readEntry(entry: Record<string, unknown>): readonly Reading[] {
  const folded = new Map(Object.entries(entry).map(([key, value]) => [fold(key), value]))
  const exact = new Map(folded)
  for (const key of KEYS) if (Object.hasOwn(entry, key)) exact.set(fold(key), entry[key])
  return [exact, folded].flatMap((reading) => {
    const amounts = [reading.get('amount'), reading.get('maxamountrequired')]
    return amounts.flatMap((amount) => (amount == null ? [] : [new Map(reading).set('amount', amount)]))
  })
}

function toOffer(
  reading: Reading,
  x402Version: 1 | 2,
  source: Offer['source'],
): Omit<SignableOffer, 'isLenient'> | undefined {
  const network = readNetworkName(reading.get('network'))
  const scheme = readScheme(reading.get('scheme'))
  const amountAtomic = readAmount(reading.get('amount'))
  if (network === undefined || scheme === undefined || amountAtomic === undefined) return undefined
  const payTo = readAccount(reading.get('payto'), network)
  const asset = readAccount(reading.get('asset'), network)
  if (payTo === undefined || asset === undefined) return undefined
  const extra = asObject(reading.get('extra')) ?? {}
  const deposit = scheme === 'batch-settlement' ? readAmount(extra.minDeposit) : undefined
  const isMore = deposit !== undefined && BigInt(deposit) > BigInt(amountAtomic)
  return {
    x402Version,
    source,
    scheme,
    network,
    asset,
    payTo,
    amountAtomic,
    extra,
    ...(isMore && { mostAtomic: deposit }),
  }
}

/** In use, but no stock client signs it. */
const UNSIGNED = 'deferred'

function readScheme(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return /^[a-z][\w-]{0,31}$/.test(text) && text !== UNSIGNED ? text : undefined
}

/** Amounts in digits, with signs and zeros that `BigInt` takes, or in hex; at most 78 digits, as a uint256 has. */
const AMOUNT = /^\s*(\+?\d{1,100}|0[xX][0-9a-fA-F]{1,64})\s*$/
const MAX_DIGITS = 78

function readAmount(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : value
  if (typeof text !== 'string' || !AMOUNT.test(text)) return undefined
  const amount = BigInt(text.trim().replace('+', '')).toString()
  return amount.length <= MAX_DIGITS ? amount : undefined
}

function readAccount(value: unknown, network: string): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim().replace(/^0X/, '0x')
  const pattern = network.startsWith('eip155:') ? ADDRESS_PATTERN : ACCOUNT_PATTERN
  return pattern.test(text) ? text : undefined
}

/** Reads a challenge of MPP whose price is stated. */
function toMppOffer(other: OtherOffer): SignableOffer[] {
  const { protocol, method, intent, amountAtomic, asset, raw } = other
  if (protocol !== 'mpp' || method === null || amountAtomic === null || asset === null) return []
  const network = other.network ?? MPP_CHAINS.get(method) ?? `${MPP_NETWORK}${method}`
  // Nobody could be paid on a chain without a receiver.
  if (other.payTo === null && network.includes('eip155:')) return []
  const account = textOf(asObject(raw.request?.methodDetails)?.networkId)
  const deposit = readAmount(raw.request?.suggestedDeposit)
  const isMore = deposit !== undefined && BigInt(deposit) > BigInt(amountAtomic)
  return [
    {
      x402Version: 2,
      source: 'header',
      scheme: intent ?? 'charge',
      network,
      asset,
      // Methods that are paid in money name an account, or are paid by one of their own.
      payTo: other.payTo ?? (account === undefined ? network : `${network}:${account}`),
      amountAtomic,
      extra: {},
      isLenient: false,
      protocol: 'mpp',
      ...(isMore && { mostAtomic: deposit }),
    },
  ]
}

const textOf = (value: unknown) =>
  typeof value === 'string' && ACCOUNT_PATTERN.test(value) ? value : undefined

type Keyed = Pick<Offer, 'x402Version' | 'network' | 'asset' | 'scheme' | 'payTo' | 'amountAtomic' | 'source'>

function keyOf({ x402Version, source, network, asset, scheme, payTo, amountAtomic }: Keyed): string {
  return [x402Version, source, network, asset, scheme, payTo, amountAtomic].join(' ')
}
