import type { Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { BAND_RANGES } from '../judge/spec.ts'
import { rankHost, toRow } from './hostIndex.ts'
import { currentVerdict } from './verdict.ts'

/** Derives the rows of endpoints, places of hosts and score bands that the store keeps beside the states. */
export const DERIVATION = {
  rowOf(state: EndpointState, now: Time) {
    const row = toRow(state)
    const { verdict, status, score } = currentVerdict(row, now)
    return { row, verdict, status, score }
  },
  rankOf: rankHost,
  bands: BAND_RANGES,
}
