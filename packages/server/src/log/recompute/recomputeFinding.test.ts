import { expect, test } from 'vitest'
import type { Observation, Time } from '../../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../../facts/times.ts'
import type { judgeEndpoint } from '../../judge/judge.ts'
import {
  A,
  B,
  C,
  confirmed,
  ENDPOINT,
  judge,
  listing,
  offer,
  series,
  T0,
  up,
} from '../../judge/testing/facts.ts'
import { stable, swapAt, swapped } from '../../judge/testing/swap.ts'
import { describeFindings } from '../../publish/findings.ts'
import { recomputeFindings } from './recomputeFinding.ts'

type More = Partial<Parameters<typeof judgeEndpoint>[0]>

/** Publishes the findings of probes at a time, as `/findings` does. */
function publish(probes: readonly Observation[], now: Time, more: More = {}) {
  const { state, changes } = judge(probes, more)
  return describeFindings(
    ENDPOINT,
    state.reasons.map((reason) => ({
      reason,
      observations: probes.filter(({ id }) => reason.evidence.includes(id)),
      change: changes.findLast(({ kind }) => kind === 'payto_swap'),
      listing: more.listings?.find(({ id }) => reason.evidence.includes(id)),
    })),
    now,
  )
}

const endOf = (probes: readonly Observation[]) => (probes.at(-1)?.at ?? 0) + MINUTE
const resultOf = (json: ReturnType<typeof publish>, code: string) =>
  recomputeFindings(JSON.parse(JSON.stringify(json))).find((one) => one.code === code)

const flickering = [
  ...stable(),
  up(swapAt, { offers: [offer({ payTo: B })], client: '0' }),
  up(swapAt + HOUR, { client: '1' }),
  up(swapAt + 9 * HOUR, { offers: [offer({ payTo: B })], client: '1' }),
  up(swapAt + 10 * HOUR, { client: '0' }),
]
const cloaked = [
  ...stable(),
  ...[B, A, B, A].map((payTo, index) =>
    up(swapAt + index * MINUTE, { offers: [offer({ payTo })], client: `${index % 2}` }),
  ),
]

test('default: a change of receiver publishes all twelve probes that confirmed it at once, and the finding is recomputed the same day', () => {
  const published = publish(swapped, endOf(swapped))
  const found = published.findings.find(({ code }) => code === 'payto_changed')
  expect(found?.probes).toHaveLength(12)
  expect(found?.probes.every(({ offers }) => offers[0]?.payTo === B)).toBe(true)
  expect(found).toMatchObject({ before: [A.toLowerCase()], identities: 2 })
  expect(resultOf(published, 'payto_changed')).toEqual({
    code: 'payto_changed',
    holds: true,
    probes: 12,
    identities: 2,
    isTimed: false,
  })
})

test('behavior: the published probes say neither when nor by whom a thief was asked, until they are 24 hours old', () => {
  const text = JSON.stringify(publish(swapped, endOf(swapped)).findings.map(({ probes }) => probes))
  const probes = confirmed(swapAt, B)
  // The first one was made at midnight, as a rounded time is.
  for (const { at } of probes.slice(1)) expect(text).not.toContain(new Date(at).toISOString())
  for (const { client, latencyMs } of publish(swapped, endOf(swapped)).findings.flatMap((one) => one.probes))
    expect([client, latencyMs]).toEqual([null, null])
  const later = publish(swapped, endOf(swapped) + DAY)
  expect(later.findings.flatMap((one) => one.probes).every(({ client }) => client !== null)).toBe(true)
  expect(resultOf(later, 'payto_changed')).toMatchObject({ holds: true, isTimed: true })
})

test('error: a finding whose probes do not show it does not hold', () => {
  const published = publish(swapped, endOf(swapped))
  const change = (edit: (one: (typeof published.findings)[number]) => object) => ({
    ...published,
    findings: published.findings.map((one) => ({ ...one, ...edit(one) })),
  })
  for (const forged of [
    change(({ probes }) => ({ probes: probes.slice(0, 11) })),
    change(({ probes }) => ({ probes: probes.map((probe) => ({ ...probe, identity: 1 })) })),
    change(() => ({ before: [B] })),
    change(() => ({ before: [] })),
  ])
    expect(resultOf(forged, 'payto_changed')?.holds).toBe(false)
  expect(() => recomputeFindings({ findings: 'none' })).toThrow('not in the published form')
})

test.each([
  ['receiver_alternates', flickering, {}],
  ['cloaked', cloaked, {}],
  [
    'price_bait',
    series(T0, 5, 12 * HOUR, (at) => up(at, { offers: [offer({ amountAtomic: '90000' })] })),
    {
      listings: [T0, T0 + DAY, T0 + 2 * DAY].map((at) =>
        listing(at, { claims: { ...listing(T0).claims, amountAtomic: '1000', priceUsd: 0.001 } }),
      ),
    },
  ],
] as const)(
  'behavior: %s is recomputed from what is published at once, and fails without the odd answers',
  (code, probes, more) => {
    const published = publish(probes, endOf(probes), more)
    expect(resultOf(published, code)).toMatchObject({
      holds: true,
      isTimed: code === 'price_bait' ? expect.any(Boolean) : false,
    })
    const honest = published.findings.map((one) => ({
      ...one,
      claimedUsd: 1,
      probes: one.probes.map((probe) => ({ ...probe, offers: [offer({ payTo: C })] })),
    }))
    expect(resultOf({ ...published, findings: honest }, code)?.holds).toBe(false)
  },
)
