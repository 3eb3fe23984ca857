import { OPERATIONS, type TrustCatalog, VERDICT_LABELS, VERDICTS } from '@touchstone402/shared'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EndpointState, HostDocument } from '../facts/hostDocument.ts'
import { HOUR, toTimestamp } from '../facts/times.ts'
import { writeCatalog } from '../http/answers/writeDatasets.ts'
import { decideVerdict, riskOf } from '../judge/score.ts'
import { systemClock } from '../lib/clock.ts'
import { readTally } from '../readModel/readTally.ts'
import { anyHosts, anyState } from '../readModel/testing/anyHosts.ts'
import { putHosts } from '../readModel/testing/putHosts.ts'
import { onlyListed } from '../readModel/testing/tallyHosts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { documentOf, NOON } from '../store/testing/records.ts'
import { describeRecord } from './dataset.ts'
import { describeProfile } from './profile.ts'
import { describeVerdict, toDecision } from './verdict.ts'

const [SAMPLE] = documentOf('a.example', NOON).endpoints
if (SAMPLE === undefined) throw new Error('a document has an endpoint')
const BEST_FIRST = ['safe', 'caution', 'avoid']

const now = NOON
const context = { publicUrl: 'https://t.example', liveCheckPriceUsd: 0.005, now }
const verify = (state: EndpointState) => describeVerdict(state, 'exact', state.endpoint, context)
async function readAll(hosts: readonly HostDocument[]) {
  const store = createMemoryStore()
  await putHosts(store, ...hosts)
  let text = ''
  for await (const chunk of writeCatalog({ store, clock: { ...systemClock, now: () => now } })) text += chunk
  const { services }: TrustCatalog = OPERATIONS.trust.response[1].parse(JSON.parse(text))
  return { services, tally: await readTally(store, now) }
}

test('default: /verify, profile, catalog, dataset and the signed decision agree', async () => {
  await fc.assert(
    fc.asyncProperty(anyHosts, async (any) => {
      const hosts = onlyListed(any)
      const { services, tally } = await readAll(any)
      const { topHealthy, topProviders, risks } = tally
      const profiles = hosts.map((host) => describeProfile(host, now))
      for (const [index, document] of hosts.entries()) {
        const profile = profiles[index]
        const record = describeRecord(document, null, now)
        expect(record).toMatchObject({ ...profile, receiver: null })
        expect(profile?.label).toBe(VERDICT_LABELS[record.verdict])
        for (const [place, state] of document.endpoints.entries()) {
          const answer = verify(state)
          const { verdict, riskLevel, flags, overruledBy, darkSince, status, priceUsd } = answer
          expect(record.endpoints[place]).toMatchObject({
            verdict,
            riskLevel,
            flags,
            overruledBy,
            darkSince,
            status,
            priceUsd,
            trust: answer.score ?? null,
          })
          expect(answer.label).toBe(VERDICT_LABELS[verdict])
          const decision = toDecision(answer, 1, context.publicUrl, now)
          expect(decision).toMatchObject({ verdict, riskLevel, flags })
          expect(decision.score).toBe(answer.score)
        }
      }
      const working = profiles.filter(({ verdict }) => verdict === 'safe' || verdict === 'caution')
      expect(services).toHaveLength(working.length)
      expect(services).toEqual(expect.arrayContaining(working))
      const ranks = services.map(({ verdict }) => BEST_FIRST.indexOf(verdict))
      expect(ranks).toEqual(ranks.toSorted())
      const safe = new Set(profiles.flatMap(({ verdict, host }) => (verdict === 'safe' ? [host] : [])))
      for (const { host } of topProviders) expect(safe).toContain(host)
      for (const { endpoint } of topHealthy) expect(safe).toContain(new URL(endpoint).host)
      const answers = hosts.flatMap(({ endpoints }) => endpoints.map(verify))
      for (const [level, count] of Object.entries(risks.byLevel)) {
        expect(answers.filter(({ riskLevel }) => riskLevel === level)).toHaveLength(count)
      }
    }),
  )
})

test('behavior: 48 hours after the last measurement there is no verdict, score or clean risk', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const { verdict, score, band, riskLevel, flags } = verify(state)
      const isKnown = state.confirmedAt !== null && now < state.confirmedAt + 48 * HOUR
      expect(verdict !== 'unknown').toBe(isKnown)
      expect([score, band].map((value) => value !== undefined)).toEqual([isKnown, isKnown])
      expect(riskLevel).toBe(flags.length > 0 ? riskOf(state.flags) : isKnown ? 'clean' : 'unknown')
    }),
  )
})

test('behavior: overruledBy names the flags without which the verdict would be that of the score', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const { verdict, flags, overruledBy } = verify(state)
      const decide = (changes: Partial<EndpointState>) =>
        VERDICTS.indexOf(
          decideVerdict({ ...state, receiverUnconfirmed: false, doubtful: false, ...changes }, now),
        )
      const alone = decide({ riskLevel: 'clean' })
      const rest = flags.filter((flag) => !overruledBy.includes(flag))
      if (verdict === 'unknown') expect(overruledBy).toEqual([])
      else if (overruledBy.length > 0) expect(decide({ riskLevel: riskOf(rest) })).toBeLessThan(decide({}))
      else expect(decide({})).toBe(alone)
    }),
  )
})

test('behavior: a host whose best score hides a cloaked endpoint is overruled', () => {
  const live = (changes: Partial<EndpointState>) => ({ ...SAMPLE, score: 100, ...changes })
  const cloaked = live({ endpoint: 'https://a.example/b', flags: ['cloaked', 'flaky'], riskLevel: 'high' })
  const describe = (...endpoints: EndpointState[]) =>
    describeProfile({ host: 'a.example', endpoints, updatedAt: NOON }, now)
  expect(describe(live({}), live({}), cloaked)).toMatchObject({
    verdict: 'avoid',
    trustScore: 100,
    overruledBy: ['cloaked'],
  })
  expect(describe(live({}), live({ score: 40 }))).toMatchObject({ verdict: 'avoid', overruledBy: [] })
})

test('behavior: a dark service says since when, beside its uptime', () => {
  const darkSince = NOON - 9 * HOUR
  const dark = { ...SAMPLE, status: 'dark' as const, score: 0, darkSince }
  const describe = (...endpoints: EndpointState[]) =>
    describeProfile({ host: 'a.example', endpoints, updatedAt: NOON }, now)
  const both = describe({ ...dark, darkSince: NOON - 30 * HOUR }, dark)
  expect(both).toMatchObject({ verdict: 'avoid', darkSince: toTimestamp(darkSince) })
  expect(both.uptime).toBe('90% of 20 of our probes')
  expect(describe(dark, SAMPLE)).toMatchObject({ darkSince: null, uptime: '90% of 20 of our probes' })
})

test('behavior: an uptime says whether the probes or the time decide', () => {
  const describe = (...uptimes: Partial<EndpointState['uptime']>[]) => {
    const endpoints = uptimes.map((uptime, path) => ({
      ...SAMPLE,
      endpoint: `https://a.example/${path}`,
      uptime: { ...SAMPLE.uptime, ...uptime },
    }))
    return describeProfile({ host: 'a.example', endpoints, updatedAt: NOON }, now).uptime
  }
  expect(describe({ up: 41, down: 2, pct: 95.35 })).toBe('95.35% of 43 of our probes')
  expect(describe({ up: 40, down: 3, pct: 62 })).toBe('62% of the time; 40 of 43 of our probes')
  expect(describe({ up: 1, down: 1, pct: null })).toBe('too few to state (2 probes)')
  const thirds = { up: 2, down: 1, pct: 66.67 }
  expect(describe(thirds, thirds, thirds)).toBe('66.67% of 9 of our probes')
})
