import {
  loadMapDiff,
  type MapBody,
  type MapHeader,
  readMapBody,
  readMapHeader,
  toHex,
} from '@touchstone402/shared/map'
import { MAX_SKEW_MS } from '../verdicts/signedVerdict.ts'
import { MapError, readOrRefuse } from './mapError.ts'
import type { MapSource } from './mapSource.ts'

/** A map that was verified. */
export type LoadedMap = { readonly header: MapHeader; readonly note: string; readonly body: MapBody }

/** The conditions of a header; `last` is the newest one that was ever accepted. */
type Expectation = { last: MapHeader | null; maxBytes: number; now: number }

// The longest lifetime of a header, with room for one that lasts longer than today's two hours.
const MAX_LIFETIME_MS = 24 * 3_600_000
const MAX_STEPS_BACK = 128

/**
 * Reads a header whose signature was verified.
 * @throws MapError
 */
export function openHeader(text: string, issuer: string): MapHeader {
  const header = readOrRefuse(() => readMapHeader(text))
  if (header.issuer !== issuer) throw new MapError('OTHER_ISSUER')
  return header
}

/**
 * Checks a fetched header against the newest one seen.
 * @throws MapError
 */
export function checkHeader(header: MapHeader, { last, maxBytes, now }: Expectation): void {
  if (last !== null && header.version < last.version) throw new MapError('ROLLED_BACK')
  if (last !== null && header.version === last.version) {
    if (header.sha256 !== last.sha256) {
      throw new MapError('WRONG_HASH', { details: 'Two maps of one version are in circulation.' })
    }
    if (header.issuedAt < last.issuedAt) throw new MapError('ROLLED_BACK')
  }
  const isTooLong = header.expiresAt - header.issuedAt > MAX_LIFETIME_MS
  if (header.expiresAt <= now || isTooLong || header.expiresAt <= header.issuedAt)
    throw new MapError('EXPIRED')
  if (header.issuedAt > now + MAX_SKEW_MS) throw new MapError('FROM_FUTURE')
  if (header.bytes > maxBytes) throw new MapError('WRONG_LENGTH', { details: `More than ${maxBytes} bytes.` })
}

/**
 * Verifies the bytes of a body against its header and parses them.
 * @throws MapError
 */
export async function openBody(bytes: Uint8Array<ArrayBuffer>, header: MapHeader): Promise<MapBody> {
  if (bytes.length !== header.bytes) throw new MapError('WRONG_LENGTH')
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  if (toHex(digest) !== header.sha256) throw new MapError('WRONG_HASH')
  const body = readOrRefuse(() => readMapBody(bytes))
  if (body.entries !== header.entries) throw new MapError('MALFORMED')
  return body
}

/**
 * Fetches the body of a header: by a diff where one leads from the map at hand, else whole.
 * @throws MapError
 */
export async function fetchBody(
  source: MapSource,
  header: MapHeader,
  current: LoadedMap | null,
): Promise<MapBody> {
  const changed = current === null ? null : await tryDiff(source, header, current)
  return changed ?? openBody(await source.body(header.version, header.bytes), header)
}

// The hash is that of the result, so a bad diff costs one more request and nothing else.
async function tryDiff(source: MapSource, header: MapHeader, current: LoadedMap): Promise<MapBody | null> {
  const back = header.version - current.header.version
  if (back < 1 || back > MAX_STEPS_BACK) return null
  // Diffs lead from 1, 2, 4 … versions back, and a longer one also fits the versions between.
  const from = header.version - 2 ** Math.ceil(Math.log2(back))
  if (from < 1) return null
  try {
    const diff = await source.diff(from, header.version, header.bytes)
    const { applyMapDiff } = await loadMapDiff()
    return await openBody(applyMapDiff(current.body, diff), header)
  } catch {
    return null
  }
}
