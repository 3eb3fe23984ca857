import {
  type Challenge,
  isRecord,
  type Offer,
  type OtherOffer,
  readOtherOffers,
  writeChallenge,
  X402_HEADERS,
} from '@touchstone402/shared'
import { Channel } from 'viem/tempo'
import type { FullChallenge } from '../decide/otherProtocols.ts'
import { readUint } from '../paying/signatures/authorization.ts'

// Lifetime of a signature that stock clients choose where the challenge names no end.
const LIFETIME_SECONDS = 300

/**
 * Adds the payments of MPP that the guard can sign to the offers of a challenge.
 * @param accept `Accept-Payment` header, by which MPP libraries name the methods that they pay by
 */
export function addOffers(challenge: Challenge, accept: string | null, now: number): FullChallenge {
  const asked = readOtherOffers(challenge.authenticate)
  const others = asked.flatMap((other) => readOffer(other, now) ?? [])
  const offers = [...challenge.offers, ...others]
  // x402 libraries name nothing; MPP libraries pay x402 by their method evm.
  const speaks = ({ other }: Offer) =>
    accept === null ? other === undefined : accepts(accept, other?.method ?? 'evm', other?.intent ?? 'charge')
  const isSpoken = offers.some(speaks) ? speaks : () => true
  if (offers.length > 0) return { ...challenge, offers, isSpoken }
  const ended = asked.flatMap((other) => (readOffer(other, 0) === undefined ? [] : (other.expiresAt ?? [])))
  return ended.length === 0 ? challenge : { ...challenge, expiredAt: Math.max(...ended) }
}

/** Whether an `Accept-Payment` header, such as `evm/charge, tempo/*;q=0.5`, takes a method and intent. */
function accepts(header: string, method: string, intent: string): boolean {
  return header.split(',').some((entry) => {
    const [key = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const [named, purpose] = key.split('/').map((part) => part.trim())
    const isRefused = parameters.some((one) => /^q\s*=\s*0(\.0*)?$/i.test(one))
    return !isRefused && (named === '*' || named === method) && (purpose === '*' || purpose === intent)
  })
}

function readOffer(other: OtherOffer, now: number): Offer | undefined {
  const { method, intent, raw } = other
  const details = isRecord(raw.request?.methodDetails) ? raw.request.methodDetails : {}
  const { credentialTypes = ['authorization'], supportedModes = ['pull'], splits = [] } = details
  const offer = toOffer(other, now)
  if (intent === 'charge' && isEmpty(splits)) {
    if (method === 'evm') return includes(credentialTypes, 'authorization') ? offer : undefined
    // In push mode the hash is sent when the money has left.
    return method === 'tempo' && includes(supportedModes, 'pull') ? offer : undefined
  }
  const { sessionProtocol, escrowContract = Channel.address } = details
  const isChannel = sessionProtocol === 'v2' && isSameText(escrowContract, Channel.address)
  if (offer === undefined || method !== 'tempo' || intent !== 'session' || !isChannel) return undefined
  // Source: `resolveOpeningDeposit` of mppx 0.11.
  const deposit = highest(BigInt(offer.amountAtomic), readUint(raw.request?.suggestedDeposit) ?? 0n)
  return { ...offer, amountAtomic: `${deposit}` }
}

const includes = (list: unknown, wanted: string) => Array.isArray(list) && list.includes(wanted)
const isSameText = (a: unknown, b: string) => typeof a === 'string' && a.toLowerCase() === b.toLowerCase()

/** Whether a value is an empty list. */
export const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0

/** Returns the higher of two amounts. */
export const highest = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/
const RESERVED = new Set([X402_HEADERS.signature, X402_HEADERS.v1Payment, 'COOKIE', 'HOST', 'CONTENT-LENGTH'])

/** Returns the offer of a whole challenge; undefined if a part is missing, malformed or past its end. */
export function toOffer(other: OtherOffer, now: number): Offer | undefined {
  const { network, asset, amountAtomic, payTo, expiresAt, raw } = other
  const { id, realm, header, expires } = raw.params
  if (network === null || asset === null || amountAtomic === null || payTo === null || !id || !realm) {
    return undefined
  }
  if (header !== undefined && (!HEADER_NAME.test(header) || RESERVED.has(header.toUpperCase())))
    return undefined
  if (expires !== undefined && (expiresAt === null || expiresAt <= now)) return undefined
  const maxTimeoutSeconds = expiresAt === null ? LIFETIME_SECONDS : Math.ceil((expiresAt - now) / 1000)
  const terms = { network, asset, payTo, amountAtomic, maxTimeoutSeconds }
  const shown = { authenticate: writeChallenge(raw.params) }
  return { x402Version: 2, source: 'header', scheme: 'exact', ...terms, extra: {}, raw: shown, other }
}
