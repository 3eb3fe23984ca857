import {
  entryAt,
  findKey,
  type MapBody,
  type MapEntry,
  type MapHeader,
  mapKeyOf,
  SLOT_MS,
  shapeMarker,
  shapesOf,
} from '@touchstone402/shared/map'
import { standingOf } from '../decide/standing.ts'
import type { CheckedVerdict, VerdictState } from '../types.ts'
import type { LoadedMap } from './mapState.ts'

// The map states only whether a verdict rests on fewer than three.
const FEW_PROBES = 2
const ENOUGH_PROBES = 3

/**
 * Returns the verdict of a map on an endpoint; `unknown` if it has no entry.
 * @param endpoint canonical URL: scheme, host, port and path
 * @param now Unix time in ms
 */
export function lookUp({ header, body }: LoadedMap, endpoint: string, now: number): VerdictState {
  let entry: MapEntry | undefined
  try {
    entry = findEntry(body, endpoint)
  } catch {
    // Signed and yet malformed: nothing can be concluded from it.
    return { state: 'unavailable', detail: 'The entry of the map is malformed.', lastSeen: null }
  }
  const lastSeen = entry === undefined ? null : standingOf(entry)
  if (header.expiresAt <= now) return { state: 'unavailable', detail: 'The map has expired.', lastSeen }
  if (entry === undefined) return { state: 'signed', verdict: describe(header, endpoint, UNKNOWN) }
  if (entry.expirySlot * SLOT_MS <= now) {
    return { state: 'unavailable', detail: 'The entry of the map has expired.', lastSeen }
  }
  return { state: 'signed', verdict: describe(header, endpoint, entry) }
}

/** Finds the entry of an endpoint itself, or else of the listed template that matches it. */
function findEntry(body: MapBody, endpoint: string): MapEntry | undefined {
  const exact = findKey(body, mapKeyOf(endpoint))
  if (exact !== undefined) return entryAt(body, exact)
  if (!body.hasShapes || findKey(body, mapKeyOf(shapeMarker(endpoint))) === undefined) return undefined
  for (const shape of shapesOf(endpoint)) {
    const index = findKey(body, mapKeyOf(shape))
    if (index !== undefined) return entryAt(body, index)
  }
  return undefined
}

const UNKNOWN: MapEntry = {
  verdict: 'unknown',
  riskLevel: 'unknown',
  receiverStability: null,
  isThin: true,
  rotates: false,
  expirySlot: Number.POSITIVE_INFINITY,
  offers: [],
}

// Most answers expire with the header, and formatting a time costs as much as finding an entry.
let lastTime = 0
let lastIso = ''

function isoOf(time: number): string {
  if (time !== lastTime) {
    lastIso = new Date(time).toISOString()
    lastTime = time
  }
  return lastIso
}

function describe(header: MapHeader, endpoint: string, entry: MapEntry): CheckedVerdict {
  return {
    iss: header.issuer,
    endpoint,
    verdict: entry.verdict,
    score: entry.score,
    riskLevel: entry.riskLevel,
    flags: entry.rotates ? ['payto_rotates'] : [],
    // Terms of both protocol versions are one in the map.
    terms: entry.offers.map((offer) => ({ ...offer, x402Version: 2 as const })),
    resourceHosts: entry.resourceHosts && [...entry.resourceHosts],
    receiverStability: entry.receiverStability,
    delivery: entry.delivered && { status: 'delivered', reason: null, ...entry.delivered },
    probes: entry === UNKNOWN ? 0 : entry.isThin ? FEW_PROBES : ENOUGH_PROBES,
    checkedAt: null,
    expiresAt: isoOf(Math.min(header.expiresAt, entry.expirySlot * SLOT_MS)),
    seq: header.issuedAt,
    scoreVersion: header.scoreVersion,
  }
}
