import { asObject, type Challenge, type Offer, sameAddress } from '@touchstone402/shared'
import type { ReadDocument } from './publicKeys.ts'
import { readSigned, type SignedTerms } from './readSigned.ts'

export type SignerOptions = {
  /** URL that was asked. */
  readonly url: string
  /** Unix time in ms. */
  readonly now: number
  readonly readDocument: ReadDocument
}

/** Name of the extension. Source: specs/extensions/extension-offer-and-receipt.md. */
const NAME = 'offer-receipt'
/** Maximum number of signed offers that are checked. A challenge with more offers has no signer. */
const MAX_SIGNED = 8

/**
 * Returns the one key that validly signed every offer of a challenge for the endpoint; undefined if there is none. Terms,
 * URL and time are compared before any signature is checked, so that foreign or stale offers cost nothing.
 */
export async function findOffersSigner(
  challenge: Challenge,
  { url, now, readDocument }: SignerOptions,
): Promise<string | undefined> {
  const entries = [challenge.header, challenge.body].flatMap(listEntries).slice(0, MAX_SIGNED)
  if (entries.length === 0 || challenge.offers.length === 0) return undefined
  // Entries of one challenge mostly share their key, whose document is read once.
  const documents = new Map<string, Promise<string | null>>()
  const readOnce: ReadDocument = (address) => {
    const known =
      documents.get(address) ?? (documents.size === 0 ? readDocument(address) : Promise.resolve(null))
    documents.set(address, known)
    return known
  }
  const signed = entries
    .flatMap((entry) => readSigned(entry, url, readOnce) ?? [])
    .filter(({ terms }) => isCurrent(terms, now) && isOf(terms.resourceUrl, url))
  const covering = challenge.offers.map((offer) => signed.find(({ terms }) => isFor(terms, offer)))
  let signer: string | null = null
  for (const found of new Set(covering)) {
    const by = found === undefined ? null : await found.findSigner()
    if (by === null || (signer !== null && by !== signer)) return undefined
    signer = by
  }
  return signer ?? undefined
}

function listEntries(document: Challenge['header']): readonly unknown[] {
  const extension = asObject(asObject(document?.extensions)?.[NAME])
  const offers = asObject(extension?.info)?.offers
  return Array.isArray(offers) ? offers.slice(0, MAX_SIGNED) : []
}

const isCurrent = ({ validUntil }: SignedTerms, now: number) => validUntil === 0 || validUntil * 1000 > now

/** Sellers behind a proxy that ends TLS sign for `http`, and some for a URL without the query. */
function isOf(resourceUrl: string, url: string): boolean {
  if (!/^https?:\/\//i.test(resourceUrl) || !URL.canParse(resourceUrl)) return false
  const [named, asked] = [new URL(resourceUrl), new URL(url)]
  return named.hostname === asked.hostname && named.port === asked.port && named.pathname === asked.pathname
}

const isFor = (terms: SignedTerms, offer: Offer) =>
  terms.scheme === offer.scheme &&
  terms.network === offer.network &&
  terms.amount === offer.amountAtomic &&
  sameAddress(terms.asset, offer.asset) &&
  sameAddress(terms.payTo, offer.payTo)
