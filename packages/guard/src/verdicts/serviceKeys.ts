import * as z from 'zod/mini'

const JwksSchema = z.object({
  keys: z.array(z.record(z.string(), z.unknown())).check(z.maxLength(32)),
})
const Ed25519KeySchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)),
  kid: z.optional(z.string()),
})

/** A key of the service, ready to verify with. */
export type ServiceKey = { kid: string | undefined; thumbprint: string; key: CryptoKey }

/** The service's keys; the promise rejects with a plain sentence where there are none to trust. */
export type ServiceKeys = {
  /** @param kid id of the key that is wanted; undefined where a signature names none */
  get(kid: string | undefined): Promise<readonly ServiceKey[]>
}

export type ServiceKeysOptions = {
  /** Reads the service's JWKS document. */
  loadJwks: () => Promise<unknown>
  /** RFC 7638, SHA-256, base64url. Only these keys count; without them the first set that is seen. */
  thumbprints?: readonly string[] | undefined
  /** Milliseconds since 1970. */
  now: () => number
}

// Whoever answers for the service can name any key, and is not to be asked again for each of them.
const REREAD_MS = 300_000

/**
 * Fetches the service's keys and keeps them.
 *
 * Where keys are pinned, a signature by one that is not there is a reason to look again, now and then: the service may
 * have gone over to another pinned key. Keys that were only discovered are kept for as long as the guard lives, since
 * nothing but the first sight vouches for any of them.
 */
export function createServiceKeys({ loadJwks, thumbprints, now }: ServiceKeysOptions): ServiceKeys {
  let known: Promise<readonly ServiceKey[]> | null = null
  let readAt = 0
  const load = async (): Promise<readonly ServiceKey[]> => {
    readAt = now()
    const keys = await importKeys(await loadJwks())
    const trusted =
      thumbprints === undefined ? keys : keys.filter((key) => thumbprints.includes(key.thumbprint))
    if (trusted.length > 0) return trusted
    throw new Error(
      thumbprints === undefined ? 'The service publishes no key.' : 'The pinned key is not published.',
    )
  }
  return {
    async get(kid) {
      known ??= load().catch((error) => {
        known = null
        throw error
      })
      const keys = await known
      const isThere = kid === undefined || keys.some((key) => key.kid === kid)
      if (isThere || thumbprints === undefined || now() - readAt < REREAD_MS) return keys
      // What cannot be read anew takes nothing away.
      known = load().catch(() => keys)
      return known
    },
  }
}

async function importKeys(document: unknown): Promise<ServiceKey[]> {
  const parsed = JwksSchema.safeParse(document)
  if (!parsed.success) throw new Error('The service publishes no key set.')
  const keys: ServiceKey[] = []
  for (const entry of parsed.data.keys) {
    const jwk = Ed25519KeySchema.safeParse(entry)
    if (!jwk.success) continue
    const { kid, x } = jwk.data
    const key = await crypto.subtle.importKey(
      'jwk',
      { kty: 'OKP', crv: 'Ed25519', x },
      { name: 'Ed25519' },
      false,
      ['verify'],
    )
    keys.push({ kid, thumbprint: await thumbprintOf(x), key })
  }
  return keys
}

/** The thumbprint of an Ed25519 key. Source: RFC 7638 section 3, RFC 8037 appendix A.3. */
export async function thumbprintOf(x: string): Promise<string> {
  const canonical = new TextEncoder().encode(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', canonical))
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
