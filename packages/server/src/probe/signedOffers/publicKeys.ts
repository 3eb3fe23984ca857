import { ECDH } from 'node:crypto'
import { asObject, decodeBase64Json, isSameSite, parseJson } from '@touchstone402/shared'

/** A public key that signs offers in JWS format. Nothing else of a JWK is kept. */
export type PublicJwk =
  | { readonly kty: 'EC'; readonly crv: 'secp256k1' | 'P-256'; readonly x: string; readonly y: string }
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }

/** Reads a small public document under the address guard; null if there is none. */
export type ReadDocument = (url: string) => Promise<string | null>

const COORDINATE = /^[\w-]{43}$/
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const MAX_BASE58 = 64

/**
 * Resolves the key id of a JWS, a DID of method `key`, `jwk` or `web`; null if it is malformed or of another method. The
 * document of `did:web` is read only from the endpoint's own site, since another one could not speak for it anyway.
 * @param endpoint URL that was asked
 */
export async function resolveKey(
  kid: string,
  endpoint: string,
  readDocument: ReadDocument,
): Promise<PublicJwk | null> {
  const [did = '', fragment] = kid.split('#')
  const [, method, ...parts] = did.split(':')
  const id = parts.join(':')
  if (!did.startsWith('did:') || id === '') return null
  if (method === 'key') return readMultibase(id)
  if (method === 'jwk') return readJwk(decodeBase64Json(id))
  return method === 'web' ? resolveWeb(parts, fragment && `${did}#${fragment}`, endpoint, readDocument) : null
}

async function resolveWeb(
  [name = '', ...path]: readonly string[],
  keyId: string | undefined,
  endpoint: string,
  readDocument: ReadDocument,
): Promise<PublicJwk | null> {
  const asked = new URL(endpoint)
  const host = decode(name)
  const base = host === asked.host ? asked.origin : `https://${host}`
  if (host === null || !URL.canParse(base) || !isSameSite(new URL(base).hostname, asked.hostname)) return null
  // A name with a path or user would resolve to another host.
  if (new URL(base).host !== host) return null
  const place = path.length === 0 ? '.well-known' : path.map((part) => encodeURIComponent(part)).join('/')
  const document = readObject(await readDocument(`${base}/${place}/did.json`))
  const methods = Array.isArray(document?.verificationMethod) ? document.verificationMethod.slice(0, 16) : []
  const found = methods.map(asObject).find((one) => keyId === undefined || one?.id === keyId)
  const { publicKeyJwk, publicKeyMultibase } = found ?? {}
  return (
    readJwk(publicKeyJwk) ??
    (typeof publicKeyMultibase === 'string' ? readMultibase(publicKeyMultibase) : null)
  )
}

function decode(name: string): string | null {
  try {
    return decodeURIComponent(name).toLowerCase()
  } catch {
    return null
  }
}

function readObject(text: string | null): Record<string, unknown> | undefined {
  try {
    return text === null ? undefined : asObject(parseJson(text))
  } catch {
    return undefined
  }
}

function readJwk(value: unknown): PublicJwk | null {
  const { kty, crv, x, y } = asObject(value) ?? {}
  if (typeof x !== 'string' || !COORDINATE.test(x)) return null
  if (kty === 'OKP' && crv === 'Ed25519') return { kty, crv, x }
  const isPoint = kty === 'EC' && typeof y === 'string' && COORDINATE.test(y)
  return isPoint && (crv === 'secp256k1' || crv === 'P-256') ? { kty, crv, x, y } : null
}

/** Reads a key in base58 with its type in front. Source: did:key, multicodec. */
function readMultibase(text: string): PublicJwk | null {
  const bytes = text.startsWith('z') ? readBase58(text.slice(1)) : null
  if (bytes === null) return null
  const [type, key] = [bytes.subarray(0, 2).toString('hex'), bytes.subarray(2)]
  if (type === 'ed01')
    return key.length === 32 ? { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') } : null
  if (type === 'e701') return unpack(key, 'secp256k1', 'secp256k1')
  return type === '8024' ? unpack(key, 'prime256v1', 'P-256') : null
}

function unpack(key: Buffer, curve: string, crv: 'secp256k1' | 'P-256'): PublicJwk | null {
  try {
    const point = ECDH.convertKey(key, curve, undefined, undefined, 'uncompressed') as Buffer
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
    return readJwk({ kty: 'EC', crv, x, y })
  } catch {
    // Not a point of the curve.
    return null
  }
}

function readBase58(text: string): Buffer | null {
  if (text.length > MAX_BASE58) return null
  let value = 0n
  for (const char of text) {
    const digit = ALPHABET.indexOf(char)
    if (digit < 0) return null
    value = value * 58n + BigInt(digit)
  }
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}
