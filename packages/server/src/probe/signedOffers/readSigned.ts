import { createPublicKey, verify } from 'node:crypto'
import { asObject, decodeBase64Json } from '@touchstone402/shared'
import { calculateJwkThumbprint } from 'jose'
import { type Hex, recoverTypedDataAddress } from 'viem'
import { publicKeyToAddress } from 'viem/utils'
import { type PublicJwk, type ReadDocument, resolveKey } from './publicKeys.ts'

/** The terms of a signed offer, as they were signed. */
export type SignedTerms = {
  readonly resourceUrl: string
  readonly scheme: string
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly amount: string
  /** Unix time in seconds; 0 if the offer does not end. */
  readonly validUntil: number
}

/** A signed offer whose signature was not checked yet. */
export type UncheckedOffer = {
  readonly terms: SignedTerms
  /** Returns the key that signed the terms, as `eip155:` and its address or `jwk:` and its thumbprint; null for none. */
  readonly findSigner: () => Promise<string | null>
}

const MAX_TEXT = 2_048
const MAX_JWS = 8_192
const JWS = /^([\w-]+)\.([\w-]+)\.([\w-]{86})$/
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/
const TEXTS = ['resourceUrl', 'scheme', 'network', 'asset', 'payTo', 'amount'] as const

// Source: @x402/extensions 2.27, offer-receipt. The chain of the domain is 1 on all networks.
const DOMAIN = { name: 'x402 offer', version: '1', chainId: 1 } as const
const TYPES = {
  Offer: [
    { name: 'version', type: 'uint256' },
    ...TEXTS.map((name) => ({ name, type: 'string' as const })),
    { name: 'validUntil', type: 'uint256' },
  ],
} as const

/** Algorithms of JWS by the curve of the key that they need. Source: RFC 7518, RFC 8037, RFC 8812, RFC 9864. */
const ALGORITHMS: Readonly<Record<PublicJwk['crv'], readonly string[]>> = {
  secp256k1: ['ES256K'],
  'P-256': ['ES256'],
  Ed25519: ['EdDSA', 'Ed25519'],
}

/** Reads an entry of the offer-receipt extension in either format; undefined if it is malformed. Checks no signature. */
export function readSigned(
  entry: unknown,
  endpoint: string,
  readDocument: ReadDocument,
): UncheckedOffer | undefined {
  const { format, payload, signature } = asObject(entry) ?? {}
  if (typeof signature !== 'string') return undefined
  if (format === 'jws') return readJws(signature, endpoint, readDocument)
  const terms = readTerms(asObject(payload))
  if (format !== 'eip712' || terms === undefined || !SIGNATURE.test(signature)) return undefined
  return { terms, findSigner: () => recover(terms, signature as Hex) }
}

function readJws(text: string, endpoint: string, readDocument: ReadDocument): UncheckedOffer | undefined {
  if (text.length > MAX_JWS) return undefined
  const [, head = '', body = '', signature = ''] = JWS.exec(text) ?? []
  const { alg, kid, crit } = decodeBase64Json(head) ?? {}
  const terms = readTerms(decodeBase64Json(body))
  if (terms === undefined || typeof alg !== 'string' || typeof kid !== 'string' || crit !== undefined)
    return undefined
  const findSigner = async () => {
    const jwk = await resolveKey(kid, endpoint, readDocument)
    if (jwk === null || !ALGORITHMS[jwk.crv].includes(alg)) return null
    return isSigned(`${head}.${body}`, signature, jwk) ? nameKey(jwk) : null
  }
  return { terms, findSigner }
}

function readTerms(fields: Record<string, unknown> | undefined): SignedTerms | undefined {
  const { version, validUntil = 0 } = fields ?? {}
  if (fields === undefined || version !== 1) return undefined
  if (typeof validUntil !== 'number' || !Number.isSafeInteger(validUntil) || validUntil < 0) return undefined
  const texts = TEXTS.map((name) => fields[name])
  if (!texts.every((text): text is string => typeof text === 'string' && text.length <= MAX_TEXT))
    return undefined
  const [resourceUrl = '', scheme = '', network = '', asset = '', payTo = '', amount = ''] = texts
  return { resourceUrl, scheme, network, asset, payTo, amount, validUntil }
}

async function recover(terms: SignedTerms, signature: Hex): Promise<string | null> {
  const message = { ...terms, version: 1n, validUntil: BigInt(terms.validUntil) }
  try {
    const typedData = { domain: DOMAIN, types: TYPES, primaryType: 'Offer', message, signature } as const
    return `eip155:${await recoverTypedDataAddress(typedData)}`
  } catch {
    // Not a signature of any key.
    return null
  }
}

function isSigned(text: string, signature: string, jwk: PublicJwk): boolean {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const hash = jwk.kty === 'EC' ? 'sha256' : null
    const bytes = Buffer.from(signature, 'base64url')
    return verify(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, bytes)
  } catch {
    return false
  }
}

/** One key has one name, whatever the format that it signs in. */
async function nameKey(jwk: PublicJwk): Promise<string> {
  if (jwk.crv !== 'secp256k1') return `jwk:${await calculateJwkThumbprint(jwk)}`
  const [x, y] = [jwk.x, jwk.y].map((half) => Buffer.from(half, 'base64url').toString('hex'))
  return `eip155:${publicKeyToAddress(`0x04${x}${y}`)}`
}
