import { type MapHeader, readMapHeader } from '@touchstone402/shared/map'
import { parseNote } from '@touchstone402/transparency'
import { HOUR } from '../../facts/times.ts'
import { LATEST, readMapFile } from '../../store/documents.ts'
import type { Store } from '../../store/store.ts'
import type { Check } from './createHealth.ts'

const EVERY_MS = 60_000
/** It is signed every ten minutes, and expires after two hours. */
const OLD_MS = HOUR / 2

/** Checks the header of the published map. @param now of the audit's clock */
export function checkMap(files: Store, now: () => number): Check {
  let header: MapHeader | null = null
  const ageMs = () => (header === null ? Number.NaN : now() - header.issuedAt)
  return {
    name: 'map',
    everyMs: EVERY_MS,
    patienceMs: EVERY_MS,
    unanswered: { level: 'degraded', status: 'unknown', sentence: 'its header cannot be read' },
    async run() {
      const latest = await readMapFile(files, LATEST)
      header = latest === undefined ? null : readMapHeader(parseNote(latest).text)
      if (header === null) return { level: 'ok', status: 'none yet' }
      if (ageMs() <= OLD_MS) return { level: 'ok', status: 'ok' }
      const sentence = `it was last signed ${Math.round(ageMs() / 1000)} s ago; guards refuse it after two hours`
      return { level: 'degraded', status: 'old', sentence }
    },
    addGauges({ gauge }) {
      gauge('map_age_seconds', 'Time since the map was last signed; NaN without one.', () => ageMs() / 1000)
      gauge('map_entries', 'Entries of the map; NaN without one.', () => header?.entries ?? Number.NaN)
    },
  }
}
