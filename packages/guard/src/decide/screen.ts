import {
  type CanonicalUrl,
  compareResource,
  findNetwork,
  isLoopback,
  isRecord,
  type Offer,
  sameAddress,
  toCaip2,
  UNPAYABLE,
  usdToAtomic,
  whyUnpayable,
} from '@touchstone402/shared'
import type { ReasonCode } from '../reasons.ts'
import type { AssetDomain } from '../types.ts'
import { findAllowedAsset, toUsdMicros } from './assets.ts'
import { coversHost } from './hosts.ts'
import type { FullChallenge } from './otherProtocols.ts'
import type { Policy } from './policySchema.ts'

/** An offer that passes all checks that need no verdict. */
export type PricedOffer = {
  offer: Offer
  domain: AssetDomain
  amount: bigint
  /** Millionths of a dollar. */
  usdMicros: bigint
  /** Who may collect an `upto` payment; null for `exact`. */
  facilitator: string | null
}

/** A refusal, with a further sentence if the code alone does not explain it. */
export type Screened = {
  code: ReasonCode
  details?: string
  /** The refused offer, if the policy could allow it. */
  refused?: Offer
  /** Its price in millionths of a dollar, if it is to be paid upfront. */
  upfrontUsdMicros?: bigint
}

/** Offers that passed. `siteHost` is another host that the resource names; the verdict must name it too. */
export type Passed = { candidates: PricedOffer[]; siteHost?: string }

/**
 * Checks the URL and each offer against the policy alone, before any verdict is requested.
 * If no offer passes, the code is that of the offer that failed last.
 */
export function screen(policy: Policy, url: CanonicalUrl, challenge: FullChallenge): Passed | Screened {
  const address = screenAddress(policy, url)
  if (address !== null) return { code: address }
  if (challenge.offers.length === 0) {
    if (challenge.expiredAt !== undefined) return { code: 'CHALLENGE_EXPIRED' }
    if (findForeignVersion(challenge) !== undefined) return { code: 'CHALLENGE_MALFORMED' }
    const foreign = challenge.problems.some(({ code }) => /^(network_unknown|entry_unsupported)$/.test(code))
    if (foreign) return { code: 'NETWORK_NOT_ALLOWED' }
    const isOther = challenge.problems.some(({ code }) => code === 'protocol_other')
    return { code: isOther ? 'PROTOCOL_NOT_SUPPORTED' : 'CHALLENGE_MALFORMED' }
  }
  let siteHost: string | undefined
  // The signed verdict decides whether two hosts belong to one site.
  const fit = compareResource(challenge.resource, url.key, (host) => {
    siteHost = host
    return true
  })
  if (fit === 'foreign') return { code: 'RESOURCE_MISMATCH' }
  const all = challenge.offers.map((offer) => screenOffer(policy, offer))
  if (receiversConflict(all.filter((result) => 'offer' in result))) return { code: 'RECEIVERS_CONFLICT' }
  const judged = all.filter((_, place) => challenge.isSpoken?.(challenge.offers[place] as Offer) ?? true)
  const passed = judged.filter((result) => 'offer' in result)
  // Source: specs/schemes/exact/scheme_exact.md, payment flow.
  const later = passed.filter(({ offer }) => offer.extra.paymentFlow !== 'upfront')
  const candidates = later.length > 0 ? later : passed
  if (candidates.length === 0) {
    const refusals = judged.filter((result) => 'code' in result)
    return refusals.reduce((last, next) =>
      ORDER.indexOf(next.code) > ORDER.indexOf(last.code) ? next : last,
    )
  }
  return siteHost === undefined ? { candidates } : { candidates, siteHost }
}

/** Returns the version of x402 of an offer that names a known network in the form of the other version. */
export function findForeignVersion(challenge: FullChallenge): 1 | 2 | undefined {
  for (const { code, source, index = 0 } of challenge.problems) {
    const { x402Version, accepts } = challenge[source] ?? {}
    const entry: unknown = Array.isArray(accepts) ? accepts[index] : undefined
    const name = isRecord(entry) && typeof entry.network === 'string' ? entry.network : ''
    const other = x402Version === 1 ? 2 : 1
    if (code === 'network_unknown' && findNetwork(toCaip2(name, other) ?? '') !== undefined)
      return other === 2 ? 1 : 2
  }
  return undefined
}

/** Returns why the policy refuses a host; null if it does not. */
export function screenAddress(policy: Policy, url: CanonicalUrl): ReasonCode | null {
  if (url.scheme === 'http' && !policy.allowInsecureHttp && !isLoopback(url.hostname)) return 'INSECURE_HTTP'
  const isListed = (hosts: readonly string[]) => hosts.some((host) => coversHost(host, url))
  if (isListed(policy.denyHosts)) return 'HOST_NOT_ALLOWED'
  if (policy.allowHosts.length > 0 && !isListed(policy.allowHosts)) return 'HOST_NOT_ALLOWED'
  return null
}

const ORDER: readonly ReasonCode[] = [
  'SCHEME_NOT_ALLOWED',
  'NETWORK_NOT_ALLOWED',
  'ASSET_NOT_ALLOWED',
  'DOMAIN_MISMATCH',
  'AMOUNT_INVALID',
  'AUTHORIZATION_TOO_LONG',
  'RECEIVER_NOT_ALLOWED',
]

function screenOffer(policy: Policy, offer: Offer): PricedOffer | Screened {
  const { extra, payTo } = offer
  const asset = findAllowedAsset(policy, offer.network, offer.asset)
  const facilitator = readFacilitator(policy, offer)
  if (facilitator === undefined) return { code: 'SCHEME_NOT_ALLOWED', details: FOREIGN_FACILITATOR }
  const unpayable = facilitator === null ? whyUnpayable(offer, asset !== undefined) : null
  const details = unpayable === null ? {} : { details: UNPAYABLE[unpayable] }
  if (unpayable === 'network') return { code: 'NETWORK_NOT_ALLOWED', ...details }
  const isUpfront = unpayable === 'flow' && extra.paymentFlow === 'upfront'
  const upfront = isUpfront ? policy.allowUpfrontUpToUsd : null
  if (unpayable !== null && unpayable !== 'asset' && upfront === null)
    return { code: 'SCHEME_NOT_ALLOWED', ...details }
  if (!policy.networks.includes(offer.network)) {
    return { code: 'NETWORK_NOT_ALLOWED', refused: offer }
  }
  if (asset === undefined) return { code: 'ASSET_NOT_ALLOWED', ...details }
  if (!isAbsentOr(extra.name, asset.domain.name) || !isAbsentOr(extra.version, asset.domain.version)) {
    return { code: 'DOMAIN_MISMATCH' }
  }
  const amount = BigInt(offer.amountAtomic)
  if (amount === 0n) return { code: 'AMOUNT_INVALID' }
  if (offer.maxTimeoutSeconds > policy.maxAuthorizationSeconds) {
    return { code: 'AUTHORIZATION_TOO_LONG', refused: offer }
  }
  const isListed = (receivers: readonly string[]) => receivers.some((one) => sameAddress(one, payTo))
  const allowed = policy.allowReceivers.length === 0 || isListed(policy.allowReceivers)
  if (!allowed || isListed(policy.denyReceivers) || isBurnt(payTo, offer.asset)) {
    return { code: 'RECEIVER_NOT_ALLOWED' }
  }
  const usdMicros = toUsdMicros(amount, asset.decimals)
  if (upfront !== null && usdMicros > usdToAtomic(upfront)) {
    return { code: 'SCHEME_NOT_ALLOWED', refused: offer, upfrontUsdMicros: usdMicros }
  }
  return { offer, domain: asset.domain, amount, usdMicros, facilitator }
}

const FOREIGN_FACILITATOR = 'The offer names no facilitator that uptoFacilitators lists.'

/** Returns the facilitator of an `upto` offer; null for other offers, undefined if the policy does not list it. */
function readFacilitator({ uptoFacilitators }: Policy, offer: Offer): string | null | undefined {
  const { scheme, network, x402Version, extra } = offer
  const isPermit2 = (extra.assetTransferMethod ?? 'permit2') === 'permit2'
  const isAuthorization = (extra.paymentFlow ?? 'authorization') === 'authorization'
  if (scheme !== 'upto' || uptoFacilitators.length === 0) return null
  if (x402Version !== 2 || !network.startsWith('eip155:') || !isPermit2 || !isAuthorization) return null
  const named = extra.facilitatorAddress
  return typeof named === 'string' && uptoFacilitators.some((one) => sameAddress(one, named))
    ? named
    : undefined
}

// Some sellers send the version as a number.
const isAbsentOr = (value: unknown, wanted: string): boolean =>
  value === undefined ||
  value === null ||
  value === wanted ||
  (typeof value === 'number' && `${value}` === wanted)

// Tokens sent to zero, a precompile, 0x…dEaD or their own contract are lost.
function isBurnt(payTo: string, asset: string): boolean {
  return /^0x0{36}[0-9a-f]{4}$/i.test(payTo) || sameAddress(payTo, asset)
}

function receiversConflict(candidates: readonly PricedOffer[]): boolean {
  const conflicts = ({ offer: a }: PricedOffer, { offer: b }: PricedOffer) =>
    a.network === b.network && sameAddress(a.asset, b.asset) && !sameAddress(a.payTo, b.payTo)
  return candidates.some((a) => candidates.some((b) => conflicts(a, b)))
}
