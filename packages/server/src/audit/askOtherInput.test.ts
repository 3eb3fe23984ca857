import { seededRandom } from '@touchstone402/shared/testing'
import { expect, test } from 'vitest'
import { HOUR } from '../facts/times.ts'
import { A, B, ENDPOINT, listing, T0 } from '../judge/testing/facts.ts'
import { readObservations } from '../store/observations.ts'
import { startAuditor } from './testing/startAuditor.ts'

const USUAL = `${ENDPOINT}?creator=ann`
const OTHER = `${ENDPOINT}?creator=bob`
const declared = listing(T0, {
  url: USUAL,
  samples: [OTHER],
  claims: { ...listing(T0).claims, payTo: null },
})

/** Probes a seller some times, and returns what it was asked for. */
async function crawl(answer: (url: string) => object, more = {}, probes = 40) {
  const started = startAuditor({}, seededRandom(5))
  const { auditor, store, host, asked, advance } = started
  await store.write('append', [{ ...declared, ...more }])
  host.answer = ({ url }) => answer(url)
  let { state } = await auditor.probe(ENDPOINT)
  for (let probe = 1; probe < probes; probe++) {
    advance(2 * HOUR)
    state = (await auditor.probe(ENDPOINT)).state
  }
  const urls = asked.map(({ url }) => url).filter((url) => !url.includes('no-such-path'))
  return { state, urls, observations: await readObservations(store, ENDPOINT) }
}

test('default: declared values and the bare URL are drawn beside the usual input', async () => {
  const { state, urls, observations } = await crawl(() => ({}))
  expect(new Set(urls)).toEqual(new Set([USUAL, OTHER, ENDPOINT]))
  const others = observations.filter(({ input }) => input !== undefined)
  expect(new Set(others.map(({ input }) => input))).toEqual(new Set(['declared', 'bare']))
  // Most probes ask the usual input alone.
  expect(others.length).toBeLessThan(observations.length / 2)
  expect(state).toMatchObject({ verdict: 'safe', flags: [] })
})

test('behavior: a seller that is honest for its sample alone is found', async () => {
  const { state } = await crawl((url) => ({ payTo: url === USUAL ? A : B }))
  expect(state).toMatchObject({ verdict: 'caution', payTo: A })
  // The bare URL is no declared value.
  expect(state.flags).toEqual(['price_varies', 'terms_follow_input'])
})

test('behavior: a seller that refuses other input loses nothing', async () => {
  const refused = { outcome: 'not_measured', cause: 'input_needed', httpStatus: 400, offers: [] }
  const { state, observations } = await crawl((url) => (url === USUAL ? {} : refused))
  expect(state).toMatchObject({ verdict: 'safe', flags: [], status: 'live' })
  expect(observations.every(({ outcome }) => outcome === 'up')).toBe(true)
})

test('behavior: other methods send only what the host declares as its sample', async () => {
  const { urls } = await crawl(() => ({}), { method: 'POST', body: '{"q":"x"}' })
  expect(new Set(urls)).toEqual(new Set([USUAL]))
})

test('behavior: a listing of somebody else adds no input', async () => {
  const foreign = { directory: 'bazaar', ownClaim: false }
  const { urls } = await crawl(() => ({}), foreign)
  expect(urls).not.toContain(OTHER)
})

const GENERATED = `${ENDPOINT}?creator=lorem`
const withGenerated = { samples: [], generated: [GENERATED] }

test('behavior: score 1.3.0, rule 7: generated values are drawn for a GET, and a refused one leaves no record', async () => {
  const { state, urls, observations } = await crawl(
    (url) =>
      url === GENERATED
        ? { outcome: 'not_measured', cause: 'input_needed', httpStatus: 404, offers: [] }
        : {},
    withGenerated,
  )
  expect(urls).toContain(GENERATED)
  expect(observations.filter(({ input }) => input === 'generated')).toEqual([])
  expect(state).toMatchObject({ verdict: 'safe', flags: [] })
})

test('behavior: score 1.3.0, rule 7: a thief that shows its terms for unknown values is found', async () => {
  const { state } = await crawl((url) => ({ payTo: url === GENERATED ? B : A }), withGenerated)
  expect(state).toMatchObject({ verdict: 'caution', flags: ['price_varies'], payTo: A })
})

test('behavior: score 1.3.0, rule 7: other methods are sent no generated value', async () => {
  const { urls } = await crawl(() => ({}), { ...withGenerated, method: 'POST', body: '{"q":"x"}' })
  expect(new Set(urls)).toEqual(new Set([USUAL]))
})
