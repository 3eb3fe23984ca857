import { ADDRESS_PATTERN, type Challenge, isRecord, type Offer, sameAddress } from '@touchstone402/shared'
import { readUrl } from '../readUrl.ts'
import type { Hex, OfferProof, PaymentIntent, PaymentReceipt } from '../types.ts'
import { hideQuery } from './identifyCall.ts'
import { digestOf, recoverSigner } from './signatures/authorization.ts'
import { concat, keccak, word } from './signatures/bytes.ts'

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
export function readOfferProof(
  challenge: Challenge,
  offer: Offer,
  { endpoint }: PaymentIntent,
  keepUrls: boolean,
): OfferProof | null {
  const offers = readInfo(challenge[offer.source])?.offers
  if (!Array.isArray(offers)) return null
  for (const signed of offers.slice(0, MAX_OFFERS)) {
    const payload = readSigned(signed, endpoint)
    if (payload === undefined || !isFor(payload.fields, offer)) continue
    const { fields, signature, resourceUrl } = payload
    const { scheme, network, asset, payTo, amount, validUntil } = fields as Record<string, string>
    const until = readSeconds(validUntil)
    if (until === undefined) continue
    const texts = [resourceUrl, scheme, network, asset, payTo, amount].map((text) => keccak(text ?? ''))
    const struct = keccak(concat(OFFER_TYPE, word(1n), ...texts, word(BigInt(until))))
    const signer = recoverSigner(digestOf(domainOf('x402 offer'), struct), signature)
    const url = keepUrls ? resourceUrl : hideQuery(resourceUrl, endpoint)
    const isReceiver = signer !== undefined && sameAddress(signer, offer.payTo)
    return { signedBy: isReceiver ? 'receiver' : 'other', resourceUrl: url, validUntil: until, signature }
  }
  return null
}

/** Reads the receipt in a settlement; null unless the receiver has signed it for this payment. */
export function readSignedReceipt(
  settlement: Record<string, unknown>,
  { endpoint, network, payTo }: PaymentIntent,
  payer: string | undefined,
  transaction: string | null,
  keepUrls: boolean,
): PaymentReceipt | null {
  const payload = readSigned(readInfo(settlement)?.receipt, endpoint)
  if (payload === undefined || payer === undefined) return null
  const { fields, signature, resourceUrl } = payload
  const issuedAt = readSeconds(fields.issuedAt)
  const { payer: named, transaction: told = '' } = fields
  if (issuedAt === undefined || fields.network !== network || typeof named !== 'string') return null
  if (!ADDRESS_PATTERN.test(named) || !sameAddress(named, payer)) return null
  // It may leave the transaction out, but not name another.
  if (typeof told !== 'string' || (told !== '' && told !== transaction)) return null
  const [first, second, third, last] = [network, resourceUrl, named, told].map((text) => keccak(text))
  if (!first || !second || !third || !last) return null
  const struct = keccak(concat(RECEIPT_TYPE, word(1n), first, second, third, word(BigInt(issuedAt)), last))
  const signer = recoverSigner(digestOf(domainOf('x402 receipt'), struct), signature)
  if (signer === undefined || !sameAddress(signer, payTo)) return null
  const url = keepUrls ? resourceUrl : hideQuery(resourceUrl, endpoint)
  return { network, resourceUrl: url, payer: named, issuedAt, transaction: told, signature }
}

function readInfo(document: unknown): Record<string, unknown> | undefined {
  const extensions = isRecord(document) ? document.extensions : undefined
  const extension = isRecord(extensions) ? extensions[NAME] : undefined
  return isRecord(extension) && isRecord(extension.info) ? extension.info : undefined
}

/** Reads an EIP-712 artifact for an endpoint. Those in JWS format need keys from elsewhere and are not read. */
function readSigned(signed: unknown, endpoint: string) {
  if (!isRecord(signed) || signed.format !== 'eip712' || !isRecord(signed.payload)) return undefined
  const { payload: fields, signature } = signed
  const { version, resourceUrl } = fields
  if (typeof signature !== 'string' || !/^0x[0-9a-fA-F]{130}$/.test(signature)) return undefined
  if (version !== 1 || typeof resourceUrl !== 'string' || resourceUrl.length > MAX_TEXT) return undefined
  const canonical = readUrl(resourceUrl)
  if (typeof canonical === 'string' || canonical.key !== endpoint) return undefined
  return { fields, resourceUrl, signature: signature as Hex }
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
