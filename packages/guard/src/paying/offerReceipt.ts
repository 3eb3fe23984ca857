import { ADDRESS_PATTERN, type Challenge, isRecord, type Offer, sameAddress } from '@touchstone402/shared'
import { readUrl } from '../readUrl.ts'
import type { OfferProof, PaymentIntent, PaymentReceipt } from '../types.ts'
import { hideQuery } from './calls/identifyCall.ts'
import { digestOf, recoverSigner } from './signatures/authorization.ts'
import { concat, keccak, word } from './signatures/bytes.ts'
import { type ReadJws, readJws } from './signatures/jws.ts'

/** Name of the extension. Source: x402 extension offer-receipt, and @x402/extensions 2.27 for types and domain. */
const NAME = 'offer-receipt'
const MAX_OFFERS = 64
const MAX_TEXT = 2048

const DOMAIN_TYPE = keccak('EIP712Domain(string name,string version,uint256 chainId)')
const OFFER_TYPE = keccak(
  'Offer(uint256 version,string resourceUrl,string scheme,string network,string asset,string payTo,string amount,uint256 validUntil)',
)
const RECEIPT_TYPE = keccak(
  'Receipt(uint256 version,string network,string resourceUrl,string payer,uint256 issuedAt,string transaction)',
)

/**
 * Reads the signature of the seller over an offer; null if there is none for its terms. A bad one refuses nothing: the
 * decision rests on the terms alone.
 */
export async function readOfferProof(
  challenge: Challenge,
  offer: Offer,
  { endpoint }: PaymentIntent,
  keepUrls: boolean,
): Promise<OfferProof | null> {
  const offers = readInfo(challenge[offer.source])?.offers
  if (!Array.isArray(offers)) return null
  for (const signed of offers.slice(0, MAX_OFFERS)) {
    const payload = await readSigned(signed, endpoint)
    if (payload === undefined || !isFor(payload.fields, offer)) continue
    const { fields, resourceUrl } = payload
    const { scheme, network, asset, payTo, amount, validUntil = 0 } = fields as Record<string, string>
    const until = readSeconds(validUntil)
    if (until === undefined) continue
    const texts = [resourceUrl, scheme, network, asset, payTo, amount].map((text) => keccak(text ?? ''))
    const struct = keccak(concat(OFFER_TYPE, word(1n), ...texts, word(BigInt(until))))
    const signedBy =
      findSigner(payload, offer.payTo, () => digestOf(domainOf('x402 offer'), struct)) ?? 'other'
    return { signedBy, validUntil: until, ...store(payload, endpoint, keepUrls) }
  }
  return null
}

/** Reads the receipt in a settlement; null unless it is for this payment, and its receiver or a stated key has signed it. */
export async function readSignedReceipt(
  settlement: Record<string, unknown>,
  { endpoint, network, payTo }: PaymentIntent,
  payer: string | undefined,
  transaction: string | null,
  keepUrls: boolean,
): Promise<PaymentReceipt | null> {
  const payload = await readSigned(readInfo(settlement)?.receipt, endpoint)
  if (payload === undefined || payer === undefined) return null
  const { fields, resourceUrl } = payload
  const issuedAt = readSeconds(fields.issuedAt)
  const { payer: named, transaction: told = '' } = fields
  if (issuedAt === undefined || fields.network !== network || typeof named !== 'string') return null
  if (!ADDRESS_PATTERN.test(named) || !sameAddress(named, payer)) return null
  // It may leave the transaction out, but not name another.
  if (typeof told !== 'string' || (told !== '' && told !== transaction)) return null
  const terms = [network, resourceUrl, named].map((text) => keccak(text))
  const struct = keccak(concat(RECEIPT_TYPE, word(1n), ...terms, word(BigInt(issuedAt)), keccak(told)))
  const signedBy = findSigner(payload, payTo, () => digestOf(domainOf('x402 receipt'), struct))
  if (signedBy === null) return null
  return {
    signedBy,
    network,
    payer: named,
    issuedAt,
    transaction: told,
    ...store(payload, endpoint, keepUrls),
  }
}

function readInfo(document: unknown): Record<string, unknown> | undefined {
  const extensions = isRecord(document) ? document.extensions : undefined
  const extension = isRecord(extensions) ? extensions[NAME] : undefined
  return isRecord(extension) && isRecord(extension.info) ? extension.info : undefined
}

type Signed = {
  fields: Record<string, unknown>
  resourceUrl: string
  signature: string
  jws: ReadJws | undefined
}

/** Reads an artifact for an endpoint, in either format. */
async function readSigned(signed: unknown, endpoint: string): Promise<Signed | undefined> {
  if (!isRecord(signed) || typeof signed.signature !== 'string') return undefined
  const { format, signature } = signed
  const jws = format === 'jws' ? await readJws(signature) : undefined
  const isTyped = format === 'eip712' && /^0x[0-9a-fA-F]{130}$/.test(signature)
  const fields = isTyped ? signed.payload : jws?.payload
  if (!isRecord(fields) || fields.version !== 1) return undefined
  const { resourceUrl } = fields
  if (typeof resourceUrl !== 'string' || resourceUrl.length > MAX_TEXT) return undefined
  const canonical = readUrl(resourceUrl)
  if (typeof canonical === 'string' || canonical.key !== endpoint) return undefined
  return { fields, resourceUrl, signature, jws }
}

/** Returns the signer; null if it verifies by no known key. */
function findSigner(
  { jws, signature }: Signed,
  payTo: string,
  digest: () => Uint8Array,
): 'receiver' | 'key' | null {
  const addresses = jws?.addresses ?? [recoverSigner(digest(), signature)].filter((one) => one !== undefined)
  if (addresses.some((one) => sameAddress(one, payTo))) return 'receiver'
  return jws?.isByStatedKey ? 'key' : null
}

/** Hides the query of the signed URL, which the payload of a JWS repeats. */
function store({ resourceUrl, signature, jws }: Signed, endpoint: string, keepUrls: boolean) {
  if (keepUrls) return { resourceUrl, signature }
  const hidden = hideQuery(resourceUrl, endpoint)
  const isShown = jws === undefined || hidden === resourceUrl
  return { resourceUrl: hidden, signature: isShown ? signature : signature.replace(/\..*\./, '..') }
}

function isFor(fields: Record<string, unknown>, offer: Offer): boolean {
  const { asset, payTo } = fields
  return (
    fields.scheme === offer.scheme &&
    fields.network === offer.network &&
    fields.amount === offer.amountAtomic &&
    typeof asset === 'string' &&
    typeof payTo === 'string' &&
    sameAddress(asset, offer.asset) &&
    sameAddress(payTo, offer.payTo)
  )
}

function readSeconds(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined
}

// The chain of the domain is 1 on all networks.
const domainOf = (name: string) => keccak(concat(DOMAIN_TYPE, keccak(name), keccak('1'), word(1n)))
