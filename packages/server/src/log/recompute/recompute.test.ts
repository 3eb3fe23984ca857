import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { foldDays } from '../../facts/dailyMeasurements.ts'
import type { Observation, Purchase } from '../../facts/facts.ts'
import { DAY, HOUR, MINUTE, toDate } from '../../facts/times.ts'
import {
  A,
  B,
  confirmed,
  down,
  ENDPOINT,
  HOST,
  judge,
  listing,
  offer,
  record,
  series,
  T0,
  up,
} from '../../judge/testing/facts.ts'
import { decisionLeaf } from '../../publish/leaves.ts'
import { isPurchasePublished, writeInput } from '../../publish/publishedInputs.ts'
import { writeObservation } from '../../publish/publishedObservation.ts'
import { aState } from '../../store/testing/documents.ts'
import { aPurchase } from '../../store/testing/records.ts'
import { compareDecision } from './compareDecision.ts'
import { compareVerify } from './compareVerify.ts'
import { type CheckedDay, fetchDays } from './fetchDays.ts'
import { arePurchasesPublished, judgePublished } from './judgePublished.ts'
import { readInputs, readObservations } from './publishedLines.ts'
import type { DayLeaf } from './readLoggedPast.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('base64')
const at = '2026-06-03T00:00:00.000Z'
const stated = {
  kind: 'decision',
  at,
  verdict: 'safe',
  score: 91,
  riskLevel: 'clean',
  receiverStability: 'stable',
  flags: [],
}
const decision = { leaf: stated, opening: { salt: '', terms: [] } }

const leafOf = (date: string, observations: string): DayLeaf => ({
  date,
  count: 1,
  looks: digest(observations),
  inputs: digest(''),
  control: 'down',
  index: 7,
})

/** Publishes probes and inputs by day, and reads them as a stranger does. */
const publish = (observations: readonly Observation[], inputs: string) =>
  foldDays(observations).map(({ date }) => {
    const own = observations.filter((observation) => toDate(observation.at) === date)
    const body = own.map((observation) => `${writeObservation(observation)}\n`).join('')
    return {
      leaf: leafOf(date, body),
      observations: readObservations(body, date),
      inputs: readInputs(inputs, date),
    }
  })

test('default: a published probe holds every field of the probe that a judgement reads', () => {
  const observation = up(T0, {
    offers: [offer({ stockRefuses: 'domain_mismatch' }), offer({ unpayable: 'asset' })],
    offersSignedBy: `eip155:${A}`,
    reread: true,
    request: 'req_1',
  })
  const observations = [observation, down(T0 + 1, { cause: 'not_paid', delivered: true })]
  const body = observations.map((one) => `${writeObservation(one)}\n`).join('')
  expect(readObservations(body, toDate(T0))).toEqual(observations)
})

test('default: what is published gives the state that the service derived', () => {
  const odd = (time: number) =>
    up(time, {
      client: 'agent',
      offers: [
        offer({ amountAtomic: '2000000', unpayable: null }),
        offer({ payTo: B, stockRefuses: 'domain_missing' }),
      ],
      offersSignedBy: `eip155:${A}`,
      disagreements: [{ field: 'amount', network: 'n', asset: 'a', scheme: 's', values: ['1', '2'] }],
      resourceOrigin: 'https://bank.example',
      resourceAsked: { at: time, leadsHere: true },
      reread: true,
      delivered: true,
      latencyMs: 123.4,
    })
  const histories = [
    series(T0, 40, 3 * HOUR),
    [...series(T0, 20, 3 * HOUR), ...confirmed(T0 + 61 * HOUR, B)],
    [...series(T0, 20, 3 * HOUR), ...[0, 11, 22, 33].map((n) => down(T0 + 61 * HOUR + n * MINUTE))],
    [...series(T0, 20, 3 * HOUR), odd(T0 + 61 * HOUR), odd(T0 + 62 * HOUR)],
    [up(T0), up(T0 + 30_000, { payTo: B }), ...series(T0 + HOUR, 30, 3 * HOUR)],
  ]
  for (const observations of histories) {
    const last = observations.at(-1)?.at ?? T0
    const facts = {
      listings: [listing(T0), listing(T0 + HOUR, { directory: 'other', ownClaim: false })],
      control: up(last, { purpose: 'control', outcome: 'down' }),
      recordsOf: (_: string, address: string) => (address === A ? [record(T0 + HOUR)] : []),
      categoryPrice: () => ({ medianUsd: 0.01, count: 9 }),
    }
    const { state } = judge(observations, facts)
    const inputs = [...facts.listings, record(T0 + HOUR)].map((fact) => `${writeInput(fact)}\n`).join('')
    const leaf = { ...stated, at: new Date(state.derivedAt).toISOString() }
    const opening = { salt: '', categoryPrice: { ...facts.categoryPrice() } }
    const read = judgePublished({
      endpoint: ENDPOINT,
      decision: { index: 3, leaf, opening },
      days: publish(observations, inputs),
      isWhole: true,
    })
    const { listings: _, ...rest } = state
    expect(read).toMatchObject(rest)
  }
})

test('default: a field is equal, or different from what follows', () => {
  const safe = aState({ terms: [] })
  const outcomesOf = (leaf: object = {}) =>
    Object.fromEntries(
      compareDecision({ ...decision, leaf: { ...stated, ...leaf } }, safe).map(({ field, isEqual }) => [
        field,
        isEqual,
      ]),
    )
  expect(outcomesOf()).toMatchObject({ verdict: true, score: true, terms: true })
  expect(outcomesOf({ score: 40, flags: ['payto_changed'] })).toMatchObject({
    verdict: true,
    score: false,
    'flags.payto_changed': false,
  })
})

test('error: a day that is changed, or missing between others, is refused', async () => {
  const body = `${writeObservation(up(T0))}\n`
  const leaves = ['2026-06-01', '2026-06-02', '2026-06-03'].map((date) => leafOf(date, body))
  const serve = (gone: readonly string[], text = body) =>
    fetchDays(
      async (path) => (gone.some((date) => path.includes(date)) ? undefined : Buffer.from(text)),
      HOST,
      leaves,
    )
  expect(await serve([])).toHaveLength(3)
  expect(await serve(['2026-06-01'])).toHaveLength(2)
  await expect(serve(['2026-06-02'])).rejects.toThrow('the service withholds 2026-06-02')
  await expect(serve([], body.replace('"up"', '"down"'))).rejects.toThrow(
    'is not what leaf 7 of the log commits to',
  )
})

test('error: a published line that cannot be judged is refused by its field', () => {
  const line = writeObservation(up(T0))
  const amount = line.replace('"amountAtomic":"10000"', '"amountAtomic":"1e4"')
  expect(() => readObservations(`${line}\n${amount}\n`, 'a day')).toThrow('line 2: offers.0.amountAtomic')
  expect(() => readObservations('{}\n', 'a day')).toThrow('probes of a day, line 1: ')
  expect(() => readObservations('{\n', 'a day')).toThrow('probes of a day, line 1: ')
  expect(() => readInputs('{"kind":"listing","id":1}\n', 'a day')).toThrow('line 1: id')
})

test('behavior: a signed answer is compared with the leaf only while that is the newest', () => {
  const { kind: _, at: __, ...said } = stated
  const newest = { decision: { index: 3, ...decision }, isNewest: true }
  const signed = (more: object = {}) =>
    ({ state: 'signed', verdict: { ...said, terms: [], ...more } }) as unknown as Parameters<
      typeof compareVerify
    >[0]
  expect(compareVerify(signed(), newest).outcome).toBe('equal')
  expect(compareVerify(signed({ verdict: 'avoid' }), newest)).toEqual({
    outcome: 'different',
    detail: 'verdict differ from leaf 3, the newest of the endpoint',
  })
  expect(compareVerify(signed({ verdict: 'unknown' }), newest).outcome).toBe('later')
  expect(compareVerify(signed({ verdict: 'avoid' }), { ...newest, isNewest: false }).outcome).toBe('later')
  const unavailable = { state: 'unavailable', detail: 'no answer', lastSeen: null } as const
  expect(compareVerify(unavailable, newest)).toEqual({ outcome: 'unread', detail: 'no answer' })
})

const SHOPPING = { network: 'eip155:8453', perCallUsd: 0.05 }
const bought = (time: number, changes: Partial<Purchase> = {}): Purchase => ({
  ...aPurchase(),
  id: `p${time}`,
  at: time,
  endpoint: ENDPOINT,
  host: HOST,
  network: SHOPPING.network,
  payTo: A,
  settled: true,
  delivered: true,
  httpStatus: 200,
  shownFrom: time + 3 * DAY,
  ...changes,
})

/** Judges an endpoint with purchases, and the same by what is published until some days later. */
function recomputeAfter(purchases: readonly Purchase[], laterDays: number, change: object = {}) {
  const observations = series(T0, 160, 3 * HOUR)
  const { state } = judge(observations, { listings: [listing(T0)], purchases, shopping: SHOPPING })
  const logged = decisionLeaf(
    undefined,
    { ...state, listings: [listing(T0)] },
    () => 'AAAAAAAAAAAAAAAAAAAAAA==',
  )
  const leaf = { ...JSON.parse(logged?.leaf ?? ''), ...change }
  const opening = JSON.parse(logged?.opening ?? '')
  const published = {
    endpoint: ENDPOINT,
    decision: { index: 3, leaf, opening },
    days: publish(observations, `${writeInput(listing(T0))}\n`),
    isWhole: true,
    later: publishLater(purchases, state.derivedAt + laterDays * DAY),
  }
  return compareDecision(published.decision, judgePublished(published), arePurchasesPublished(published))
}

function publishLater(purchases: readonly Purchase[], to: number): CheckedDay {
  const date = toDate(to)
  const end = Date.parse(date) + DAY - 1
  const lines = purchases
    .filter((one) => isPurchasePublished(one, [], end))
    .map((one) => `${writeInput(one)}\n`)
  return { leaf: leafOf(date, ''), observations: [], inputs: readInputs(lines.join(''), date) }
}

const outcomeOf = (findings: ReturnType<typeof compareDecision>) =>
  findings.filter(({ isEqual, isStated }) => !isEqual || isStated)

test('rule 13: a delivery is taken as stated while its purchase is withheld, and recomputed after 30 days', () => {
  for (const purchase of [bought(T0 + DAY), bought(T0 + 15 * DAY), bought(T0 - 25 * DAY)]) {
    expect(outcomeOf(recomputeAfter([purchase], 2))).toMatchObject([
      { field: 'delivery', isEqual: true, isStated: true },
    ])
    expect(outcomeOf(recomputeAfter([purchase], 31))).toEqual([])
  }
})

test('rule 13, abuse: a service that states a delivery that it never bought is found out after 30 days', () => {
  const delivery = { status: 'delivered', month: '2026-06', paidUsd: 0.01, reason: null }
  expect(outcomeOf(recomputeAfter([], 2, { delivery }))).toMatchObject([
    { field: 'delivery', isStated: true },
  ])
  expect(outcomeOf(recomputeAfter([], 31, { delivery }))).toMatchObject([
    { field: 'delivery', isEqual: false, recomputed: { status: 'never_bought' } },
  ])
})

test('rule 14: purchases that were charged without a delivery are published once they are shown, and recomputed', () => {
  const error = { delivered: false, httpStatus: 422 }
  const charged = [bought(T0 + DAY, error), bought(T0 + 2 * DAY, error)]
  const findings = recomputeAfter(charged, 2)
  expect(findings.find(({ field }) => field === 'flags.charges_errors')).toMatchObject({
    stated: true,
    isEqual: true,
  })
  expect(outcomeOf(findings)).toMatchObject([{ field: 'delivery', isEqual: true }])
})
