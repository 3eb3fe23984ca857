import { expect, test } from 'vitest'
import { aListing, documentOf, NOON } from '../adapters/store/testing/records.ts'
import { auditDirectories } from './catalog.ts'
import type { EndpointState } from './hostDocument.ts'
import { HOUR } from './spec.ts'

/** An endpoint, and what each directory that lists it claims of its health. */
const listed = (
  healthy: Readonly<Record<string, boolean | null>>,
  changes: Partial<EndpointState> = {},
): EndpointState => {
  const [state] = documentOf('a.example', NOON).endpoints
  if (state === undefined) throw new Error('a document has an endpoint')
  const { claims } = aListing()
  const listings = Object.entries(healthy).map(([directory, claim]) =>
    aListing({ directory, claims: { ...claims, healthy: claim } }),
  )
  return { ...state, listings, listedBy: Object.keys(healthy), ...changes }
}
const DARK = { status: 'dark', verdict: 'avoid', score: 0 } as const

test('default: what each directory claims is held against what was measured', () => {
  const endpoints = [
    listed({ '402index': true, bazaar: null }),
    listed({ '402index': true, bazaar: null }, DARK),
    listed({ '402index': false }),
    listed(
      { '402index': true },
      { status: 'unmeasured', verdict: 'unknown', score: null, confirmedAt: null },
    ),
  ]
  expect(auditDirectories(endpoints, NOON)).toEqual([
    { directory: '402index', listed: 4, claimedHealthy: 3, working: 2, accuracyPct: 66.7 },
    // A directory that states no health claims by listing.
    { directory: 'bazaar', listed: 2, claimedHealthy: 2, working: 1, accuracyPct: 50 },
  ])
})

test('behavior: without a measurement that still counts, no accuracy is stated', () => {
  expect(auditDirectories([listed({ bazaar: null })], NOON + 49 * HOUR)).toEqual([
    { directory: 'bazaar', listed: 1, claimedHealthy: 1, working: 0, accuracyPct: null },
  ])
  expect(auditDirectories([], NOON)).toEqual([])
})
