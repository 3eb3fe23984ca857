import { FLAGS, STATUSES } from '@touchstone402/shared'
import fc from 'fast-check'
import type { EndpointState, HostDocument } from '../../facts/hostDocument.ts'
import { HOUR } from '../../facts/times.ts'
import { decideVerdict, riskOf } from '../../judge/score.ts'
import { aListing, documentOf, NOON } from '../../store/testing/records.ts'

const [SAMPLE] = documentOf('a.example', NOON).endpoints
if (SAMPLE === undefined) throw new Error('a document has an endpoint')
const { claims } = aListing()

/** Judged states of any status, flags, score and age, with some text of sellers. */
export const anyState = fc
  .record({
    status: fc.constantFrom(...STATUSES),
    flags: fc.subarray([...FLAGS], { maxLength: 3 }),
    points: fc.integer({ min: 0, max: 100 }),
    ageHours: fc.integer({ min: 0, max: 60 }),
    receiverUnconfirmed: fc.boolean(),
    doubtful: fc.boolean(),
    category: fc.constantFrom('weather', 'a/b', '__proto__', 'other', null),
    priceUsd: fc.constantFrom(0.001, 0.01, 1 / 3, 1e-7, 12, null),
    firstSeen: fc.integer({ min: NOON - 5e9, max: NOON }),
    payTo: fc.constantFrom('0xAA', '0xaa', '0xbb', null),
    receiverStability: fc.constantFrom('stable' as const, 'new' as const, null),
    receiverProfile: fc.constantFrom('established' as const, 'dormant' as const, null),
    claimed: fc.dictionary(
      fc.constantFrom('bazaar', '__proto__', '402 index/β'),
      fc.constantFrom(true, false, null),
    ),
  })
  .map(({ status, flags, points, ageHours, claimed, ...rest }): EndpointState => {
    const confirmedAt = status === 'unmeasured' ? null : NOON - ageHours * HOUR
    const isDown = status === 'dark' || status === 'invalid'
    const judged = {
      ...SAMPLE,
      ...rest,
      status,
      flags,
      score: status === 'unmeasured' ? null : isDown ? 0 : points,
      darkSince: isDown ? NOON - 99 * HOUR + points : null,
      confirmedAt,
      expiresAt: confirmedAt === null ? null : confirmedAt + 48 * HOUR,
      riskLevel: riskOf(flags),
      listedBy: Object.keys(claimed),
      listings: Object.entries(claimed).map(([directory, healthy]) =>
        aListing({ directory, claims: { ...claims, healthy } }),
      ),
    }
    return { ...judged, verdict: decideVerdict(judged, NOON - ageHours * HOUR) }
  })

/** Up to eight hosts with up to four endpoints each; the verdicts expire within 48 hours from noon. */
export const anyHosts = fc
  .array(fc.array(anyState, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  .map((hosts): HostDocument[] =>
    hosts.map((states, index) => {
      const host = `h${index}.example`
      const endpoints = states.map((state, path) => ({ ...state, host, endpoint: `https://${host}/${path}` }))
      return { host, endpoints, updatedAt: NOON }
    }),
  )
