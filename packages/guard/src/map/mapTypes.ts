import type { FetchLike, VerdictState } from '../types.ts'
import type { MapErrorCode } from './mapError.ts'

/**
 * A map at rest, as {@link MapStorage} keeps it. It is verified again when it is read.
 * @example
 * const size = ({ body }: StoredMap) => body.length
 */
export type StoredMap = {
  /** The signed header. */
  note: string
  body: Uint8Array<ArrayBuffer>
  /** The trusted public keys as base64url. */
  keys: readonly string[]
}

/**
 * Keeps the last good map over restarts.
 * @example
 * const nowhere: MapStorage = { load: async () => null, save: async () => {} }
 */
export type MapStorage = {
  /** Returns the stored map, or null if there is none. */
  load(): Promise<StoredMap | null>
  /** Resolves once the map is durable. */
  save(map: StoredMap): Promise<void>
}

/**
 * Options of {@link createMapClient}.
 * @example
 * const options: MapClientOptions = { url: 'https://touchstone.example', refreshSeconds: 600 }
 */
export type MapClientOptions = {
  /** Base URL of the service; https, except on this machine. */
  url: string
  /** Base URL of the files, for a mirror. It needs no trust. @default `map` below `url` */
  mapUrl?: string
  /** Issuer that headers must name. @default the origin of `url` */
  issuer?: string
  /** Pinned RFC 7638 thumbprints of the service's keys. Without them the first keys seen are trusted and kept. */
  jwksThumbprint?: string | readonly string[]
  /** Keeps the map over restarts. @default in memory only */
  storage?: MapStorage
  /** Seconds between two looks for a newer map, 10-3600, give or take a fifth. @default 300 */
  refreshSeconds?: number
  /** Timeout of a header in ms. @default 10000 */
  timeoutMs?: number
  /** Most bytes of a map. @default 268435456 */
  maxBytes?: number
  /** Sends requests. @default the global fetch */
  fetch?: FetchLike
  /** Verifies that the log of the service holds a version. @default proofs are not asked for */
  verifyProof?: (proof: string | undefined, leaf: MapLeaf) => Promise<boolean>
  /** Receives every refusal in the background. @default ignored */
  onError?: (error: unknown) => void
  /** Returns Unix time in ms. @default Date.now */
  now?: () => number
}

/**
 * Log entry of a map version.
 * @example
 * const same = (a: MapLeaf, b: MapLeaf) => a.version === b.version && a.sha256 === b.sha256
 */
export type MapLeaf = { version: number; sha256: string }

/**
 * The map in use.
 * @example
 * const isStale = ({ expiresAt }: MapInfo) => expiresAt < Date.now()
 */
export type MapInfo = {
  version: number
  entries: number
  bytes: number
  /** Hexadecimal. */
  sha256: string
  /** Unix time in ms. */
  issuedAt: number
  /** Unix time in ms, from which it no longer decides. */
  expiresAt: number
  scoreVersion: string
  /** Reason why the last refresh failed; null if it did not. */
  lastError: MapErrorCode | null
}

/**
 * The verdicts of a service on this machine.
 * @example
 * const safe = (map: MapClient, endpoint: string) => {
 *   const found = map.get(endpoint)
 *   return found.state === 'signed' && found.verdict.verdict === 'safe'
 * }
 */
export type MapClient = {
  /** Base URL of the service. */
  readonly url: string
  /** Looks an endpoint up in memory, by its canonical URL. Sends nothing that depends on it. */
  get(endpoint: string): VerdictState
  /** Resolves once a map is in use, or the first attempt to get one failed. Never rejects. Starts the refresh. */
  ready(): Promise<void>
  /**
   * Gets the newest map now.
   * @throws MapError; the last good map stays in use
   */
  refresh(): Promise<MapInfo>
  /** Returns the map in use; null without any. */
  info(): MapInfo | null
  /** Ends the refresh. */
  close(): void
}
