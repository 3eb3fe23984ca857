import {
  decodeBase64Json,
  isRecord,
  type Offer,
  type OtherOffer,
  readOtherOffers,
  sameAddress,
} from '@touchstone402/shared'
import { Channel, Transaction } from 'viem/tempo'
import { screenAddress } from '../decide/screen.ts'
import { createLru } from '../lru.ts'
import { staysOnOrigin } from '../paying/calls/request.ts'
import { findPayments } from '../paying/payment.ts'
import type { MppMethods } from '../paying/scheme.ts'
import { type PaymentChannel, readUint } from '../paying/signatures/authorization.ts'
import { hasFields, type TypedData } from '../paying/signatures/typedData.ts'
import { readUrl } from '../readUrl.ts'
import { addOffers, highest, isEmpty, toOffer } from './offers.ts'
import { EVM, TEMPO, ZERO } from './schemes.ts'
import { readTempoPayment, serializeUnsigned } from './tempoTransaction.ts'

/** A channel whose opening was signed, the highest voucher that was sent, and whether its client uses it. */
type OpenChannel = PaymentChannel & { origin: string; sent: bigint; isOpen: boolean }
type Proof = { other: OtherOffer; origin: string }

const MAX_KEPT = 1000

/**
 * Creates the option `mpp` of a guard, which pays MPP: charges by the methods `evm` and `tempo` (in pull mode), sessions
 * and proofs of amount 0 by `tempo`. Give each guard its own: it keeps the channels that the guard has opened.
 *
 * An `evm` charge is a transfer authorization for its challenge alone, a `tempo` charge a transaction whose only call is
 * the approved transfer, with a fee of at most $0.05. The deposit of a session counts in full when its channel is opened;
 * vouchers go up to it, and a close up to the highest voucher that was sent. Tokens of Tempo are those of `policy.assets`.
 * @example
 * const token = { network: 'eip155:4217', address: '0x20C000000000000000000000b9537d11c60E8b50', decimals: 6 }
 * const assets = [{ ...token, name: 'USDC.e', version: '1' }]
 * const policy = { networks: ['eip155:8453', 'eip155:4217'], assets }
 * const guard = createGuard({ mpp: createMpp(), policy })
 */
export function createMpp(): MppMethods {
  const channels = createLru<OpenChannel>(MAX_KEPT)
  const proofs = createLru<Proof>(MAX_KEPT)
  const find = (id: unknown) => channels.get(String(id).toLowerCase())
  const findProof = (id: unknown, realm: unknown) => proofs.get(JSON.stringify([id, realm]))

  const isFree = ({ other }: Offer, { origin, host, hostname }: URL) => {
    if (other?.method !== 'tempo') return false
    const { id, realm } = other.raw.params
    if (other.intent === 'session') return [...channels.values()].some((one) => canPay(one, other, origin))
    const isHere = realm === host || realm === hostname
    if (other.intent !== 'charge' || other.amountAtomic !== '0' || !isHere) return false
    proofs.set(JSON.stringify([id, realm]), { other, origin })
    return true
  }

  const mayLeave = (credential: Credential, url: string): boolean => {
    const { challenge, payload, source } = credential
    const { action, channelId, cumulativeAmount, type } = payload
    const { origin } = new URL(url)
    const proof = type === 'proof' ? findProof(challenge.id, challenge.realm) : undefined
    if (proof !== undefined) {
      const from = String(source).split(':').at(-1) ?? ''
      return proof.origin === origin && answersChallenge(credential, proof.other, from)
    }
    const channel = find(channelId)
    const amount = readUint(cumulativeAmount)
    if (channel === undefined || channel.origin !== origin || amount === undefined) return false
    if (action !== 'voucher' && action !== 'close') return false
    if (amount > (action === 'close' ? channel.sent : channel.deposit)) return false
    channel.isOpen = action === 'voucher'
    channel.sent = highest(channel.sent, amount)
    return true
  }

  const readFree = (data: TypedData, payer: string): TypedData | undefined => {
    const { domain, primaryType, types, message } = data
    const { name, version, chainId, verifyingContract, ...others } = domain
    if (!isEmpty(Object.keys(others))) return undefined
    if (primaryType === 'Proof' && hasFields(types, 'Proof', PROOF)) {
      const { account, challengeId, realm } = message
      const proof = findProof(challengeId, realm)
      const isOurs = typeof account === 'string' && sameAddress(account, payer)
      const isDomain = name === 'MPP' && version === '3' && verifyingContract === undefined
      if (!isOurs || !isDomain || proof?.other.network !== `eip155:${chainId}`) return undefined
      return {
        primaryType,
        types: { Proof: PROOF },
        domain: { name, version, chainId },
        message: { account, challengeId, realm },
      }
    }
    const channel = primaryType === 'Voucher' ? find(message.channelId) : undefined
    const cumulativeAmount = readUint(message.cumulativeAmount)
    if (channel === undefined || cumulativeAmount === undefined || !hasFields(types, 'Voucher', VOUCHER))
      return undefined
    const isDomain = name === 'TIP20 Channel Reserve' && version === '1'
    const isChain =
      channel.network === `eip155:${chainId}` && sameAddress(`${verifyingContract}`, Channel.address)
    const isSigner = channel.signer === ZERO || sameAddress(channel.signer, payer)
    if (!isDomain || !isChain || !isSigner || cumulativeAmount > channel.deposit) return undefined
    return {
      primaryType,
      types: { Voucher: VOUCHER },
      domain: { name, version, chainId, verifyingContract },
      message: { channelId: channel.id, cumulativeAmount },
    }
  }

  return {
    addOffers,
    schemeOf: ({ method }) => (method === 'evm' ? EVM : TEMPO),
    decode(found) {
      const credential = readCredential(found)
      if (credential === undefined) return undefined
      const scheme = credential.challenge.method === 'evm' ? EVM : TEMPO
      const signed = scheme.readPayload(credential.payload)
      return (
        signed && {
          ...signed,
          scheme,
          network: null,
          asset: null,
          answers: ({ offer: { other } }) =>
            other !== undefined && answersChallenge(credential, other, signed.authorization.from),
        }
      )
    },
    opened(channel, url, isOpen = false) {
      const { origin } = new URL(url)
      const sent = highest(channel.voucher, find(channel.id)?.sent ?? 0n)
      channels.set(channel.id.toLowerCase(), { ...channel, origin, sent, isOpen })
    },
    findFree(policy, { challenge, requestedUrl, url }, now) {
      const canonical = readUrl(url)
      const isAllowed = typeof canonical !== 'string' && screenAddress(policy, canonical) === null
      const isOfCall = isAllowed && staysOnOrigin(requestedUrl, url)
      const { authenticate, isSpoken = () => true } = challenge
      const offers = readOtherOffers(authenticate).flatMap((other) => toOffer(other, now) ?? [])
      return offers.find((offer) => isOfCall && isSpoken(offer) && isFree(offer, new URL(url)))
    },
    carriesFree({ headers, url }) {
      const [found, ...others] = findPayments(headers)
      const credential = found && readCredential(found)
      return credential !== undefined && others.length === 0 && mayLeave(credential, url)
    },
    readFree,
    async readTransaction(transaction, payer) {
      const payment = readTempoPayment(await serializeUnsigned(transaction), payer)
      if (payment === undefined || payment.signature !== null) return undefined
      const { authorization, unsigned } = payment
      // A client that opens a channel has lost its earlier ones to this seller.
      const opens = authorization.channel !== undefined
      for (const one of channels.values())
        if (opens && sameAddress(one.payee, authorization.to)) one.isOpen = false
      return { scheme: TEMPO, authorization, unsigned, serializer: Transaction.serialize }
    },
  }
}

const PROOF = [
  { name: 'account', type: 'address' },
  { name: 'challengeId', type: 'string' },
  { name: 'realm', type: 'string' },
] as const
const VOUCHER = [
  { name: 'channelId', type: 'bytes32' },
  { name: 'cumulativeAmount', type: 'uint96' },
] as const

/** Whether an open channel has room for an offer. */
function canPay(channel: OpenChannel, { network, asset, payTo, amountAtomic }: OtherOffer, origin: string) {
  return (
    channel.isOpen &&
    channel.origin === origin &&
    channel.network === network &&
    sameAddress(channel.token, asset ?? '') &&
    sameAddress(channel.payee, payTo ?? '') &&
    channel.sent + BigInt(amountAtomic ?? 0) <= channel.deposit
  )
}

/** A decoded MPP credential. */
type Credential = {
  challenge: Record<string, unknown>
  payload: Record<string, unknown>
  source: unknown
  /** Name of the header that carries it, in lower case. */
  header: string
}

/** Decodes an MPP credential; undefined if it is not readable. */
function readCredential({ header, value }: { header: string; value: string }): Credential | undefined {
  const [, token] = /^payment\s+([\w+/=-]+)$/i.exec(value.trim()) ?? []
  const { challenge, payload, source } = (token && decodeBase64Json(token)) || {}
  return isRecord(challenge) && isRecord(payload) ? { challenge, payload, source, header } : undefined
}

const ECHOED = ['id', 'realm', 'method', 'intent', 'expires', 'digest', 'opaque'] as const

/** Whether a credential echoes an approved challenge, in the header that the challenge names. */
function answersChallenge(
  { challenge, source, header }: Credential,
  { network, raw: { params, request } }: OtherOffer,
  from: string,
): boolean {
  const echoed = typeof challenge.request === 'string' ? decodeBase64Json(challenge.request) : undefined
  return (
    ECHOED.every((name) => challenge[name] === params[name]) &&
    isSameJson(echoed, request) &&
    (source === undefined || `${source}`.toLowerCase() === `did:pkh:${network}:${from}`.toLowerCase()) &&
    header === (params.header ?? 'authorization').toLowerCase()
  )
}

function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b || typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [ours, theirs] = [Object.entries(a), Object.keys(b)]
  const isSame = ([key, value]: [string, unknown]) =>
    Object.hasOwn(b, key) && isSameJson(value, Reflect.get(b, key))
  return Array.isArray(a) === Array.isArray(b) && ours.length === theirs.length && ours.every(isSame)
}
