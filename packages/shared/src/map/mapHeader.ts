import { decodeBase64, encodeBase64 } from '@touchstone402/transparency'
import { MapFormatError } from './mapError.ts'

/** Signed header of a map version. */
export type MapHeader = {
  /** Base URL of the service. */
  issuer: string
  /** Grows by one with each version. */
  version: number
  /** SHA-256 of the version before in hexadecimal; null for the first. */
  previous: string | null
  /** Unix time in ms. */
  issuedAt: number
  /** Unix time in ms. A header expires then, even if its entries expire later. */
  expiresAt: number
  entries: number
  /** Length of the body. */
  bytes: number
  /** SHA-256 of the body in hexadecimal. */
  sha256: string
  scoreVersion: string
  /** Proof that the log holds this version (C2SP `tlog-proof`). */
  proof?: string | undefined
}

const TITLE = 'touchstone map v1'
const LINES = new RegExp(
  [
    `^${TITLE}`,
    '(https?://[^\\s]{1,500})',
    'version ([1-9]\\d{0,14})',
    'previous ([0-9a-f]{64}|none)',
    'issued (\\S{24})',
    'expires (\\S{24})',
    'entries (0|[1-9]\\d{0,8})',
    'bytes ([1-9]\\d{0,9})',
    'sha256 ([0-9a-f]{64})',
    'score ([0-9A-Za-z.+-]{1,40})',
    '(?:log ([A-Za-z0-9+/=]{4,60000})\n)?$',
  ].join('\n'),
)

/** Returns the name of the key that signs maps: the URL of the service without its scheme, then `/map`. */
export function mapKeyName(issuer: string): string {
  return `${issuer.replace(/^https?:\/\//, '').replace(/\/+$/, '')}/map`
}

/** Writes the text of a header, to be signed as a note. */
export function writeMapHeader(header: MapHeader): string {
  const lines = [
    TITLE,
    header.issuer,
    `version ${header.version}`,
    `previous ${header.previous ?? 'none'}`,
    `issued ${new Date(header.issuedAt).toISOString()}`,
    `expires ${new Date(header.expiresAt).toISOString()}`,
    `entries ${header.entries}`,
    `bytes ${header.bytes}`,
    `sha256 ${header.sha256}`,
    `score ${header.scoreVersion}`,
    ...(header.proof === undefined ? [] : [`log ${encodeBase64(new TextEncoder().encode(header.proof))}`]),
  ]
  return `${lines.join('\n')}\n`
}

/**
 * Parses the text of a header.
 * @throws MapFormatError
 */
export function readMapHeader(text: string): MapHeader {
  const parts = LINES.exec(text)
  if (parts === null) throw new MapFormatError('header')
  const [, issuer = '', version, previous, issued, expires, entries, bytes, sha256 = '', score = '', proof] =
    parts
  const proofBytes = proof === undefined ? undefined : decodeBase64(proof)
  if (proof !== undefined && proofBytes === undefined) throw new MapFormatError('proof')
  return {
    issuer,
    version: Number(version),
    previous: previous === 'none' ? null : (previous as string),
    issuedAt: readTime(issued),
    expiresAt: readTime(expires),
    entries: Number(entries),
    bytes: Number(bytes),
    sha256,
    scoreVersion: score,
    ...(proofBytes && { proof: new TextDecoder().decode(proofBytes) }),
  }
}

function readTime(text = ''): number {
  const time = Date.parse(text)
  if (!Number.isFinite(time) || new Date(time).toISOString() !== text) {
    throw new MapFormatError('times')
  }
  return time
}
