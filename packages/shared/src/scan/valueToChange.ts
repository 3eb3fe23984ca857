import { asObject } from '../base64Json.ts'
import { isBurnAddress } from '../burnAddresses.ts'
import { findKnownNetwork, findUsdc, isOfficialAsset } from '../knownNetworks.ts'
import { BASE, BASE_USDC, findNetwork, sameAddress } from '../networks.ts'
import { findProtocolConflict } from '../protocolConflict.ts'
import { findUnpublished } from '../publishedForms.ts'
import { findDomainFault } from '../signingDomain.ts'
import type { Challenge, Offer } from '../x402.ts'
import type { ScannedTerms } from './answer.ts'
import type { ScanCheckId } from './checks.ts'
import { OFFER_CHECKS } from './offers.ts'

/** One value of an answer that fails a check, and what it must be. Holds text of the seller. */
export type ValueToChange = { readonly where: string; readonly read: string; readonly want: string }

const MAX_READ = 200

/**
 * Finds the value to change for a failed check; undefined where it is no single value.
 * @param url canonical URL that was asked
 */
export function findValueToChange(
  id: ScanCheckId,
  url: string,
  { answer, answers, challenge }: ScannedTerms,
): ValueToChange | undefined {
  if (id === 'insecure_http') return change('the URL', url, url.replace(/^http:/, 'https:'))
  if (id === 'input_before_payment') {
    const refused = answers.findLast(({ status }) => status !== 402)
    return refused && change(`the status of an unpaid ${refused.method}`, refused.status, '402')
  }
  if (answer === null) return undefined
  if (id === 'challenge_cached')
    return change('the header Cache-Control', answer.headers['cache-control'], 'no-store')
  if (challenge === null)
    return id === 'no_challenge'
      ? change(`the status of an unpaid ${answer.method}`, answer.status, '402')
      : undefined
  if (id === 'no_challenge' || id === 'offer_malformed') return findEntry(challenge)
  if (id === 'resource_mismatch')
    return change(challenge.header === null ? 'resource' : 'resource.url', challenge.resource, url)
  if (id === 'protocols_disagree') return findConflict(challenge)
  if (id === 'terms_disagree') {
    const [first] = challenge.disagreements
    return first && change(`${first.field} in header and body`, first.values.join(', '), 'the same value')
  }
  if (id === 'receiver_unverified') {
    const malformed = challenge.problems.find(({ code }) => code === 'payto_malformed')
    if (malformed !== undefined) return ofEntry(challenge, malformed, 'payTo', OWN_ADDRESS)
  }
  const offer = challenge.offers.find((one) => isAtFault(id, challenge, one)) ?? challenge.offers[0]
  return offer && findInOffer(id, challenge, offer)
}

const OWN_ADDRESS = 'an address whose key you hold'

function findInOffer(id: ScanCheckId, challenge: Challenge, offer: Offer): ValueToChange | undefined {
  const isV2 = offer.x402Version === 2
  const inEntry = (field: string, want: string, value: unknown = offer.raw[field]) =>
    change(`${entryOf(challenge, offer)}.${field}`, value, want)
  switch (id) {
    case 'network_unknown':
    case 'network_testnet':
      return inEntry('network', isV2 ? BASE : 'base')
    case 'asset_unknown':
      return inEntry('asset', findUsdc(offer.network) ?? BASE_USDC)
    case 'scheme_unsafe':
      return change(entryOf(challenge, offer), findUnpublished(offer), 'the scheme exact with EIP-3009')
    case 'receiver_unverified':
      return inEntry('payTo', OWN_ADDRESS)
    case 'amount_strange':
      return inEntry(isV2 ? 'amount' : 'maxAmountRequired', '"10000" for $0.01 in USDC')
    case 'timeout_strange':
      return inEntry('maxTimeoutSeconds', '60')
    case 'payment_unsupported':
      return inEntry('scheme', `exact, in USDC on ${BASE}`)
    case 'domain_mismatch': {
      const name = findNetwork(offer.network)?.usdcName
      const isName = typeof offer.extra.name !== 'string' || (name !== undefined && offer.extra.name !== name)
      return isName
        ? inEntry('extra.name', name ?? "the name of the token's EIP-712 domain", offer.extra.name)
        : inEntry('extra.version', '2', offer.extra.version)
    }
    case 'challenge_misplaced':
      return change(
        'the place of the challenge',
        offer.source === 'header' ? 'the header PAYMENT-REQUIRED' : 'the body',
        isV2 ? 'the header PAYMENT-REQUIRED' : 'the body',
      )
    case 'input_undeclared':
      return change(isV2 ? 'extensions.bazaar.info.input' : 'outputSchema.input', undefined, 'an example')
    case 'output_undeclared':
      return change(isV2 ? 'extensions.bazaar.info.output' : 'outputSchema.output', undefined, 'an example')
    default:
      return undefined
  }
}

/** Whether an offer alone fails a check that fails for the challenge. */
function isAtFault(id: ScanCheckId, challenge: Challenge, offer: Offer): boolean {
  if (id === 'network_testnet') return findKnownNetwork(offer.network)?.testnet === true
  if (id === 'asset_unknown') return !isOfficialAsset(offer.network, offer.asset)
  if (id === 'scheme_unsafe') return findUnpublished(offer) !== null
  if (id === 'domain_mismatch') return findDomainFault(offer) !== null
  if (id === 'receiver_unverified')
    return isBurnAddress(offer.payTo) || sameAddress(offer.payTo, offer.asset) || /^0x0{36}/.test(offer.payTo)
  const check = id in OFFER_CHECKS ? OFFER_CHECKS[id as keyof typeof OFFER_CHECKS] : undefined
  return check?.({ ...challenge, offers: [offer], problems: [] }) != null
}

function findConflict(challenge: Challenge): ValueToChange | undefined {
  const conflict = findProtocolConflict(challenge)
  if (conflict === null) return undefined
  const { offer, other, differs } = conflict
  const where = `the header WWW-Authenticate (${other.protocol})`
  return differs.receiver
    ? change(`${where}, receiver`, other.payTo, offer.payTo)
    : change(`${where}, amount`, other.amountAtomic, `the price of x402, ${offer.amountAtomic}`)
}

function findEntry(challenge: Challenge): ValueToChange | undefined {
  const [problem] = challenge.problems
  return problem === undefined
    ? undefined
    : ofEntry(challenge, problem, null, 'an entry with every required field')
}

/** A value of the entry that a problem names. */
function ofEntry(
  challenge: Challenge,
  { source, index }: Challenge['problems'][number],
  field: string | null,
  want: string,
): ValueToChange {
  const document = challenge[source]
  if (index === undefined) return change(`accepts in the ${source}`, document?.accepts, want)
  const entry = Array.isArray(document?.accepts) ? document.accepts[index] : undefined
  const where = `accepts[${index}] in the ${source}`
  return field === null
    ? change(where, entry, want)
    : change(`${where}, ${field}`, asObject(entry)?.[field], want)
}

/** Name of the place of an offer. */
function entryOf(challenge: Challenge, { source, raw }: Offer): string {
  const accepts = challenge[source]?.accepts
  const index = Array.isArray(accepts) ? accepts.indexOf(raw) : -1
  return `${source}: accepts[${Math.max(0, index)}]`
}

function change(where: string, value: unknown, want: string): ValueToChange {
  const text = typeof value === 'string' ? value : value === undefined ? 'missing' : JSON.stringify(value)
  return { where, read: text.length > MAX_READ ? `${text.slice(0, MAX_READ)}…` : text, want }
}
