import { asObject, decodeBase64Json } from '@touchstone402/shared'
import { bytesToHex, hexToBytes, keccak } from './bytes.ts'
import { recoverKeyInScript } from './recoverKey.ts'

/** A compact JWS and who may have signed it. */
export type ReadJws = {
  payload: Record<string, unknown>
  /** Addresses of the keys by which an ES256K signature verifies. */
  addresses: string[]
  /** Whether it verifies by the key in its own header, which proves no identity. */
  isByStatedKey: boolean
}

type Key = { curve: 'Ed25519' | 'P-256' | 'secp256k1'; bytes: Uint8Array<ArrayBuffer> }

const COMPACT = /^([A-Za-z0-9_-]{1,4096})\.([A-Za-z0-9_-]{1,8192})\.([A-Za-z0-9_-]{86})$/
const ALGORITHMS: ReadonlyMap<unknown, Key['curve']> = new Map([
  ['EdDSA', 'Ed25519'],
  ['ES256', 'P-256'],
  ['ES256K', 'secp256k1'],
])
/** Multicodec prefixes of did:key. Source: github.com/multiformats/multicodec, table.csv. */
const PREFIXES = { ed01: 'Ed25519', e701: 'secp256k1', '8024': 'P-256' } as const

/**
 * Reads a JWS by the algorithms of the extension offer-receipt. Looks up no key: did:web and others state none.
 * Source: RFC 7515, RFC 8812; specs/extensions/extension-offer-and-receipt.md, sections 3.3 and 4.5.
 * @returns undefined if it is malformed, or states two keys that differ
 */
export async function readJws(text: string): Promise<ReadJws | undefined> {
  const [, protectedPart = '', payloadPart = '', signaturePart = ''] = COMPACT.exec(text) ?? []
  const [header, payload] = [decodeBase64Json(protectedPart), decodeBase64Json(payloadPart)]
  if (header === undefined || payload === undefined || 'crit' in header || 'b64' in header) return undefined
  const curve = ALGORITHMS.get(header.alg)
  const stated = [readDid(header.kid), readJwk(header.jwk)].filter((key) => key !== undefined)
  const isOne = stated.every(({ bytes }) => bytesToHex(bytes) === bytesToHex(stated[0]?.bytes ?? bytes))
  if (curve === undefined || !isOne || stated.some((key) => key.curve !== curve)) return undefined
  const signed = new TextEncoder().encode(`${protectedPart}.${payloadPart}`)
  const signature = readBytes(signaturePart)
  const [key] = stated
  if (curve !== 'secp256k1') {
    return {
      payload,
      addresses: [],
      isByStatedKey: key !== undefined && (await verify(key, signature, signed)),
    }
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', signed))
  const keys = [0, 1].flatMap((parity) => recover(signature, parity, digest))
  const addresses = keys.map((one) => bytesToHex(keccak(one.subarray(1)).subarray(12)))
  const isStated = keys.some(
    (one) => key !== undefined && bytesToHex(compress(one)) === bytesToHex(key.bytes),
  )
  // A key that it states must be the one that signed.
  return { payload, addresses: key === undefined || isStated ? addresses : [], isByStatedKey: isStated }
}

function recover(signature: Uint8Array, parity: number, digest: Uint8Array): Uint8Array[] {
  try {
    return [recoverKeyInScript(signature, parity, digest)]
  } catch {
    return []
  }
}

async function verify(
  { curve, bytes }: Key,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const [kind, how] =
    curve === 'Ed25519'
      ? [curve, curve]
      : [
          { name: 'ECDSA', namedCurve: curve },
          { name: 'ECDSA', hash: 'SHA-256' },
        ]
  try {
    const key = await crypto.subtle.importKey('raw', bytes, kind, false, ['verify'])
    return await crypto.subtle.verify(how, key, signature, signed)
  } catch {
    return false
  }
}

/** Reads the key that a did:key or did:jwk consists of. */
function readDid(kid: unknown): Key | undefined {
  if (typeof kid !== 'string') return undefined
  const [, method, id = ''] = /^did:(key:z|jwk:)([A-Za-z0-9_-]{1,1024})(?:#.*)?$/.exec(kid) ?? []
  if (method === 'jwk:') return readJwk(decodeBase64Json(id))
  // The identifiers of these keys have at most 50 digits.
  const bytes = method === undefined || id.length > 64 ? undefined : readBase58(id)
  const curve = bytes && PREFIXES[bytesToHex(bytes.subarray(0, 2)).slice(2) as keyof typeof PREFIXES]
  return bytes && curve && { curve, bytes: bytes.slice(2) }
}

function readJwk(value: unknown): Key | undefined {
  const { crv, x, y } = asObject(value) ?? {}
  const isPart = (part: unknown): part is string =>
    typeof part === 'string' && /^[A-Za-z0-9_-]{43}$/.test(part)
  if (!isPart(x)) return undefined
  if (crv === 'Ed25519') return { curve: crv, bytes: readBytes(x) }
  if ((crv !== 'P-256' && crv !== 'secp256k1') || !isPart(y)) return undefined
  return { curve: crv, bytes: compress(Uint8Array.of(4, ...readBytes(x), ...readBytes(y))) }
}

/** Returns the compressed form of an uncompressed point. Source: SEC 1, section 2.3.3. */
const compress = (point: Uint8Array): Uint8Array<ArrayBuffer> =>
  Uint8Array.of(2 + (Number(point[64]) & 1), ...point.subarray(1, 33))

const readBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The identifiers of keys do not begin with zeros. */
function readBase58(text: string): Uint8Array<ArrayBuffer> | undefined {
  let value = 0n
  for (const digit of text) {
    const place = BASE58.indexOf(digit)
    if (place < 0) return undefined
    value = value * 58n + BigInt(place)
  }
  const digits = value.toString(16)
  return hexToBytes(`0x${digits.length % 2 ? '0' : ''}${digits}`)?.slice()
}
