import { readFileSync } from 'node:fs'
import type { Change, Incident } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { Observation } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { recordId } from '../../facts/ids.ts'
import { canonicalJson } from '../../facts/json.ts'
import { DAY, HOUR } from '../../facts/times.ts'
import { type Judgement, judgeEndpoint } from '../judge.ts'
import { INTERVALS } from '../schedule.ts'
import { LIMITS } from '../spec.ts'
import { ENDPOINT, HOST, listing, record, T0 } from './facts.ts'
import { KINDS, type Phase, toObservations } from './histories.ts'

/**
 * Histories with their judgements. fast-check drew the phases with fixed seeds: 110 over seconds to weeks, 190 with most
 * probes minutes apart, 52 longer than 90 days, 6 with over 2,000 probes. The judge that folded each probe into a packed
 * memory judged them first, before judgements read the kept probes. Of their 2,424 moments 747 say more by score 1.2.0,
 * nearly all by flags that it adds or that no longer expire without a probe; where the kept probes reach back far enough,
 * none says less. By score 1.3.0, 1,015 moments say something else: most of them `receiver_alternates` and
 * `receiver_flickers`, which are new, `payto_changed` instead of `payto_rotates`, and less of `cloaked` and `price_bait`,
 * which need equal requests and two probes a day apart. The judgements of long histories are those of 1.3.0 since then.
 */
const { fields, cases }: Stored = JSON.parse(
  readFileSync(new URL('judgedHistories.json', import.meta.url), 'utf8'),
)

type Stored = {
  /** Fields of a state, and its uptime and incidents, in the order of their hashes. */
  readonly fields: readonly string[]
  readonly cases: readonly (readonly [readonly StoredPhase[], readonly StoredMoment[]])[]
}
type StoredPhase = readonly [number, number, number, number, Phase['purpose'], Phase['order'], number]
/** Number of probes so far, milliseconds since the last one, and what the judgement says; missing if it was not kept. */
type StoredMoment = readonly [count: number, laterMs: number, ...said: unknown[]]

/** Facts that more flags depend on: a refreshed claim, and chain records of every receiver. */
const richFacts = (now: number) => ({
  listings: [
    listing(T0, { claims: { ...listing(T0).claims, calls: 20 } }),
    ...[T0 + DAY, T0 + 3 * DAY].map((at) => listing(at, { directory: 'other', category: 'weather' })),
  ].filter(({ at }) => at <= now),
  recordsOf: (_network: string, of: string) => [record(now - HOUR, { address: of, receiptsEver: 0 })],
  categoryPrice: () => ({ medianUsd: 0.01, count: 9 }),
})

const NO_FACTS = { listings: [], recordsOf: () => [], categoryPrice: () => undefined }

const toPhase = ([kind, observations, everyMs, pauseMs, purpose, order, seed]: StoredPhase): Phase => ({
  kind: KINDS[kind] ?? 'steady',
  observations,
  everyMs,
  pauseMs,
  purpose,
  order,
  seed,
})

/** Draws a gap of its mean: the histories are older than the draw. */
const MEAN_GAP = 1 - 1 / Math.E

/** Returns the time of the next probe without the jitter of short gaps. */
function withoutJitter({ nextProbeAt, derivedAt }: EndpointState): number {
  const short = [INTERVALS.confirm, INTERVALS.difference].map((gap) => derivedAt + gap)
  const planned = (at: number) => nextProbeAt >= at && nextProbeAt <= at + 0.1 * (at - derivedAt)
  return short.find(planned) ?? nextProbeAt
}

const hash = (value: unknown) => recordId('h', canonicalJson(value)).slice(2, 10)

/** Judges a history at each of its moments; incidents follow from one to the next. */
function judgeAll(all: readonly Observation[], moments: readonly StoredMoment[], isBare: boolean) {
  let incidents: readonly Incident[] = []
  const published = new Map<string, Change>()
  let before: EndpointState | undefined
  return moments.map(([count, laterMs]) => {
    const observations = all.slice(0, count)
    const now = (observations.at(-1)?.at ?? T0) + laterMs
    const judgement = judgeEndpoint({
      ...(isBare ? NO_FACTS : richFacts(now)),
      endpoint: ENDPOINT,
      host: HOST,
      observations,
      isWhole: true,
      changes: [...published.values()],
      before,
      control: undefined,
      announcements: [],
      purchases: [],
      incidents,
      now,
      random: MEAN_GAP,
    })
    const news = judgement.changes.filter(({ id }) => !published.has(id))
    for (const change of news) published.set(change.id, change)
    // The last moments are checked one by one, from what was published before them.
    if (count < all.length) {
      incidents = judgement.incidents
      before = judgement.state
    }
    return say(judgement, news)
  })
}

function say({ state, incidents }: Judgement, news: Judgement['changes']) {
  const { verdict, score, status, flags, riskLevel, receiverStability, uptime, darkSince, ...others } = state
  // The histories hold no purchases.
  const { delivery: _, shopping: __, ...rest } = others
  const said = [
    verdict,
    score,
    status,
    flags.join(' '),
    riskLevel,
    receiverStability,
    uptime.pct,
    darkSince === null ? null : darkSince - T0,
    news.map(({ kind, id }) => `${kind} ${id}`),
    incidents.filter((incident) => incident.status === 'open').map(({ kind, id }) => `${kind} ${id}`),
  ]
  return { said, rest: { ...rest, nextProbeAt: withoutJitter(state), uptime, incidents } }
}

/** Hashes each field alone, so that a history longer than the kept probes can be compared without some of them. */
function hashFields(rest: Partial<EndpointState>): readonly string[] {
  const values: Readonly<Record<string, unknown>> = rest
  return fields.map((field) => hash(values[field] ?? null).slice(0, 4))
}

const all = cases.map(([phases, moments], index) => ({
  index,
  observations: toObservations(phases.map(toPhase)),
  moments,
  isBare: index % 3 === 2,
}))
const isLong = (observations: readonly Observation[]) =>
  observations.length > 2000 || (observations.at(-1)?.at ?? T0) - T0 > 59 * DAY

/** Since 1.3.0 fewer live checks are kept, and with them the terms that nothing else saw. */
const hasManyLive = (observations: readonly Observation[]) =>
  observations.filter(({ purpose }) => purpose === 'live').length > LIMITS.keptLiveProbes

test('default: 300 histories within the kept probes are judged as stored', () => {
  const within = all.filter(({ observations }) => !isLong(observations))
  expect(within.length).toBeGreaterThanOrEqual(300)
  for (const { index, observations, moments, isBare } of within) {
    const judged = judgeAll(observations, moments, isBare).map(({ said, rest }) => [...said, hash(rest)])
    expect(judged, `history ${index}`).toEqual(moments.map(([_, __, ...said]) => said))
  }
})

/**
 * Judgement fields that are equal for histories longer than the kept probes. The others rest on probes that are no
 * longer read: networks, receivers by key and refused input that were seen once, terms that clients saw before, the
 * prices before the first one that is read, and cloaking of months ago.
 */
const COMPARED = [
  'endpoint',
  'host',
  'method',
  'listedBy',
  'listings',
  'category',
  'categoryPrice',
  'firstSeen',
  'lastChecked',
  'confirmedAt',
  'doubtful',
  'receiverProfile',
  'payTo',
  'amountAtomic',
  'priceUsd',
  'priceHistory',
  'derivedAt',
  'expiresAt',
  'scoreVersion',
]

test('behavior: of longer histories, status, times, shown receiver and prices are as stored', () => {
  const long = all.filter(({ observations }) => isLong(observations) && !hasManyLive(observations))
  expect(long.length).toBeGreaterThanOrEqual(40)
  for (const { index, observations, moments, isBare } of long) {
    const judged = judgeAll(observations, moments, isBare)
    for (const [place, [, , ...stored]] of moments.entries()) {
      const now = judged[place]
      if (stored.length === 0 || now === undefined) continue
      const hashes = `${stored[10]}`.match(/.{4}/g) ?? []
      const pick = (list: readonly string[]) => COMPARED.map((field) => list[fields.indexOf(field)])
      const name = `history ${index} at ${place}`
      expect([now.said[2], now.said[7]], name).toEqual([stored[2], stored[7]])
      expect(pick(hashFields(now.rest)), name).toEqual(pick(hashes))
    }
  }
})
