import { isRecord } from '@touchstone402/shared'
import type { LogCheck } from '../types.ts'

const MAX_KEYS = 32

/** An imported key of the service. */
export type ServiceKey = { kid: string | undefined; thumbprint: string; key: CryptoKey }

/**
 * Returns the trusted keys. `kid` is the key id of the signature, if any.
 * @throws Error if no key is trusted
 */
export type GetKeys = (kid: string | undefined) => Promise<readonly ServiceKey[]>

/** Options of {@link createServiceKeys}. */
export type ServiceKeysOptions = {
  /** Reads the JWKS of the service. */
  loadJwks: () => Promise<unknown>
  /** Pinned RFC 7638 thumbprints (SHA-256, base64url). Without them the first key set is trusted. */
  thumbprints?: readonly string[] | undefined
  /** Unix time in ms. */
  now: () => number
  /** Whether the log of the service holds a key. @default every key is taken */
  isLogged?: LogCheck['verifyKey'] | undefined
}

// Limits the requests that signatures by unknown keys can cause.
const REREAD_MS = 300_000

/**
 * Fetches and caches the keys of the service.
 *
 * With pinned keys, a signature by an unknown key triggers a re-read, since the service may have rotated to another
 * pinned key. Discovered keys are trusted on first use and kept for the lifetime of the guard.
 */
export function createServiceKeys({ loadJwks, thumbprints, now, isLogged }: ServiceKeysOptions): GetKeys {
  let known: Promise<readonly ServiceKey[]> | null = null
  let readAt = 0
  const load = async (): Promise<readonly ServiceKey[]> => {
    readAt = now()
    const keys = await importKeys(await loadJwks(), isLogged)
    const trusted =
      thumbprints === undefined ? keys : keys.filter((key) => thumbprints.includes(key.thumbprint))
    if (trusted.length > 0) return trusted
    throw new Error(
      thumbprints === undefined
        ? 'The service publishes no key.'
        : 'The service does not publish the pinned key.',
    )
  }
  return async (kid) => {
    known ??= load().catch((error) => {
      known = null
      throw error
    })
    const keys = await known
    const isKnown = kid === undefined || keys.some((key) => key.kid === kid)
    if (isKnown || thumbprints === undefined || now() - readAt < REREAD_MS) return keys
    // A failed re-read keeps the known keys.
    known = load().catch(() => keys)
    return known
  }
}

async function importKeys(
  document: unknown,
  isLogged: LogCheck['verifyKey'] | undefined,
): Promise<ServiceKey[]> {
  const entries = readKeySet(document)
  if (entries === undefined) throw new Error('The service publishes no key set.')
  const keys: ServiceKey[] = []
  for (const { x, kid, logProof } of entries) {
    if (kid !== undefined && typeof kid !== 'string') continue
    const key = await crypto.subtle.importKey(
      'jwk',
      { kty: 'OKP', crv: 'Ed25519', x },
      { name: 'Ed25519' },
      false,
      ['verify'],
    )
    const thumbprint = await thumbprintOf(x)
    const proof = typeof logProof === 'string' ? logProof : undefined
    if (isLogged === undefined || (await isLogged(thumbprint, proof))) keys.push({ kid, thumbprint, key })
  }
  return keys
}

/** Whether a value is an Ed25519 public key as base64url. */
export const isKey = (x: unknown): x is string => typeof x === 'string' && /^[A-Za-z0-9_-]{43}$/.test(x)

/** Returns the Ed25519 keys of a JWKS; undefined if it is none, or has too many keys. */
export function readKeySet(
  document: unknown,
): { x: string; kid?: unknown; logProof?: unknown }[] | undefined {
  const entries = isRecord(document) ? document.keys : undefined
  if (!Array.isArray(entries) || entries.length > MAX_KEYS) return undefined
  return entries.filter(
    (entry) => isRecord(entry) && entry.kty === 'OKP' && entry.crv === 'Ed25519' && isKey(entry.x),
  )
}

/** Computes the thumbprint of an Ed25519 key. Source: RFC 7638 section 3, RFC 8037 appendix A.3. */
export async function thumbprintOf(x: string): Promise<string> {
  const canonical = new TextEncoder().encode(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', canonical))
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
