import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { aState } from '../../adapters/store/testing/documents.ts'
import { createLookWriter } from '../../domain/publish/publishedLook.ts'
import { down, ENDPOINT, HOST, series, T0, up } from '../../domain/testing/facts.ts'
import { compareDecision } from './compareDecision.ts'
import { compareVerify } from './compareVerify.ts'
import { type CheckedDay, fetchDays } from './fetchDays.ts'
import { readInputs, readLooks } from './publishedLines.ts'
import { judgePublished, READINGS } from './readings.ts'
import type { DayLeaf } from './readLoggedPast.ts'

const HOUR = 3_600_000
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
const outcomesOf = (states: Parameters<typeof compareDecision>[1], leaf: object = {}) =>
  Object.fromEntries(
    compareDecision({ ...decision, leaf: { ...stated, ...leaf } }, states).map(({ field, outcome }) => [
      field,
      outcome,
    ]),
  )

const leafOf = (date: string, looks: string): DayLeaf => ({
  form: 2,
  date,
  count: 1,
  looks: digest(looks),
  inputs: digest(''),
  control: 'down',
  index: 7,
})

test('default: a field is equal where all readings agree, possible where they differ, else different', () => {
  const safe = aState({ terms: [] })
  const flagged = aState({ terms: [], score: 85, flags: ['cloaked'], verdict: 'avoid' })
  expect(outcomesOf([safe, safe])).toMatchObject({ verdict: 'equal', score: 'equal', terms: 'equal' })
  const some = outcomesOf([safe, flagged])
  expect(some).toMatchObject({ score: 'possible', 'flags.cloaked': 'possible' })
  // The readings are samples, so a score between two of them is allowed.
  expect(outcomesOf([safe, flagged], { score: 88 })).toMatchObject({ score: 'possible' })
  expect(outcomesOf([safe, safe], { score: 40, flags: ['payto_changed'] })).toMatchObject({
    score: 'different',
    'flags.payto_changed': 'different',
  })
})

test('behavior: where in its hour a look was made decides whether an endpoint is dark', () => {
  const write = createLookWriter()
  const start = T0 + 3 * HOUR
  const looks = [...series(T0, 3, HOUR), ...[0, 1, 2].map((n) => down(start + n * 60_000))]
  const body = looks.map((look) => `${write(look)}\n`).join('')
  const date = '2026-06-01'
  const day: CheckedDay = { leaf: leafOf(date, body), looks: readLooks(body, date), inputs: [] }
  const statuses = READINGS.map(
    (reading) => judgePublished({ endpoint: ENDPOINT, days: [day], prices: [] }, reading).status,
  )
  expect([...new Set(statuses)].sort()).toEqual(['dark', 'live'])
})

test('behavior: looks about a day apart leave open whether a receiver is stable', () => {
  const write = createLookWriter()
  const looks = [T0 + HOUR / 2, T0 + 12 * HOUR, T0 + 24 * HOUR + HOUR / 2].map((time) => up(time))
  const body = looks.map((look) => `${write(look)}\n`).join('')
  const day: CheckedDay = { leaf: leafOf('2026-06-02', body), looks: readLooks(body, 'a day'), inputs: [] }
  const seen = READINGS.map(
    (reading) => judgePublished({ endpoint: ENDPOINT, days: [day], prices: [] }, reading).receiverStability,
  )
  expect([...new Set(seen)].sort()).toEqual(['new', 'stable'])
})

test('error: a day that is changed, or missing between others, is refused', async () => {
  const body = `${createLookWriter()(up(T0))}\n`
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
  const line = createLookWriter()(up(T0))
  const amount = line.replace('"amountAtomic":"10000"', '"amountAtomic":"1e4"')
  expect(() => readLooks(`${line}\n${amount}\n`, 'a day')).toThrow('line 2: offers.0.amountAtomic')
  expect(() => readLooks('{}\n', 'a day')).toThrow('looks of a day, line 1: ')
  expect(() => readLooks('{\n', 'a day')).toThrow('looks of a day, line 1: ')
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
