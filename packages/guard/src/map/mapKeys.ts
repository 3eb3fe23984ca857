import { mapKeyName } from '@touchstone402/shared/map'
import { decodeBase64, ed25519Verifier, parseNote } from '@touchstone402/transparency'
import { isKey, readKeySet, thumbprintOf } from '../verdicts/serviceKeys.ts'
import { MapError, readOrRefuse } from './mapError.ts'

/** Options of {@link createMapKeys}. */
type MapKeysOptions = {
  issuer: string
  /** Pinned RFC 7638 thumbprints; without them the first keys seen are trusted. */
  thumbprints: readonly string[] | undefined
  /** Reads the JWKS of the service. */
  loadJwks: () => Promise<unknown>
  /** Unix time in ms. */
  now: () => number
}

// Limits the requests that notes of unknown keys can cause.
const REREAD_MS = 300_000

/** Keeps the keys of the service: pinned ones, or the first that were seen. */
export function createMapKeys({ issuer, thumbprints, loadJwks, now }: MapKeysOptions) {
  let keys: readonly string[] = []
  let readAt = Number.NEGATIVE_INFINITY

  const trust = async (candidates: readonly string[]): Promise<void> => {
    const trusted: string[] = []
    for (const x of candidates) {
      if (thumbprints === undefined || thumbprints.includes(await thumbprintOf(x))) trusted.push(x)
    }
    if (trusted.length > 0) keys = trusted
  }
  const open = async (note: string): Promise<string> => {
    const { text, signatures } = readOrRefuse(() => parseNote(note))
    const signed = new TextEncoder().encode(text)
    for (const x of keys) {
      const { name, keyId, verify } = ed25519Verifier(mapKeyName(issuer), decodeKey(x))
      for (const line of signatures) {
        if (line.name === name && line.keyId === keyId && (await verify(signed, line.signature))) return text
      }
    }
    throw new MapError('UNTRUSTED')
  }

  return {
    /** The trusted public keys as base64url, to be stored. */
    known: () => keys,
    /** Trusts stored keys, as far as they are pinned. */
    restore: (stored: readonly string[]) => trust(stored.filter(isKey)),
    /**
     * Returns the text of a note that a trusted key signed. Reads the published keys where none is known, and where the
     * note is signed by another: the service may use another pinned key by now.
     * @throws MapError
     */
    async open(note: string): Promise<string> {
      const isFirst = keys.length === 0
      if (isFirst) await trust(readKeys(await loadJwks()))
      try {
        return await open(note)
      } catch (error) {
        if (isFirst || thumbprints === undefined || now() - readAt < REREAD_MS) throw error
        readAt = now()
        await trust(readKeys(await loadJwks()))
        return open(note)
      }
    },
    /** Returns the text of a note that a known key signed. Sends nothing. @throws MapError */
    openStored: open,
  }
}

function readKeys(document: unknown): string[] {
  const keys = readKeySet(document)
  if (keys === undefined) throw new MapError('UNTRUSTED', { details: 'The service publishes no key set.' })
  return keys.map(({ x }) => x)
}

function decodeKey(x: string): Uint8Array {
  return decodeBase64(`${x.replaceAll('-', '+').replaceAll('_', '/')}=`) ?? new Uint8Array()
}
