import { FLAG_RECORDS, type Flag } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { DAY, HOUR } from '../../facts/times.ts'
import { readSides } from '../../publish/sides.ts'
import { readState } from '../../store/endpoints.ts'
import { readSummary } from '../../store/hosts.ts'
import { readObservations } from '../../store/observations.ts'
import { describeAnswer, showSide } from '../components/sides.tsx'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { HTML, openPages, samplesOf } from '../testing/openPages.ts'
import { SAMPLE_NOW, sampleAddress } from '../testing/sampleServices.ts'
import { openProfile, textOf } from './testing/openProfile.ts'

/** Opens the profile of a host whose endpoints were judged otherwise. */
async function openAs(
  host: string,
  change: (state: EndpointState, observation: string) => Partial<EndpointState>,
) {
  const deps = await createSampleDeps(samplesOf(host))
  const summary = await readSummary(deps.store, host)
  for (const { endpoint } of summary?.endpoints ?? []) {
    const found = await readState(deps.store, endpoint)
    const [observation] = await readObservations(deps.store, endpoint, { newest: 1 })
    if (found !== undefined)
      await deps.store.write('putEndpoint', { ...found.state, ...change(found.state, observation?.id ?? '') })
  }
  const origin = await openPages([], deps)
  const html = await (await fetch(`${origin}/services/${host}`, HTML)).text()
  const [, hero = ''] = /<section class="panel hero(.*?)<\/section>/s.exec(html) ?? []
  return { hero: textOf(hero), text: textOf(html) }
}

const found = (code: Flag, message: string, ...evidence: readonly string[]): Partial<EndpointState> => {
  const { risk } = FLAG_RECORDS[code]
  const severity = risk === 'high' ? 'critical' : 'warn'
  return { riskLevel: risk, flags: [code], reasons: [{ code, severity, message, evidence: [...evidence] }] }
}

test('behavior: what an endpoint asks stands beside what it is measured against', async () => {
  const dear = 'images.atelier-gen.com'
  expect((await openProfile(dear)).hero).toMatch(
    /It asks \$2\.50; too few .*before paying\..*Usual .*so at most \$1\.00 It asks \$2\.50 to 0x/,
  )
  const { hero } = await openAs(dear, () => ({ categoryPrice: { medianUsd: 0.01, count: 6 } }))
  expect(hero).toContain('Usual for its category $0.01 (median of 6) It asks $2.50 to 0x')
  expect((await openProfile('sandbox.chainkit.dev')).hero).toMatch(
    /Expected an offer on a mainnet It asks \$0\.001 to 0x\S+ on Base Sepolia, exact/,
  )
  const unpaid = await openAs('ocr.neverpaid.example', () =>
    found('receiver_never_paid', 'No USDC receipts. Clears with its first receipt.', 'rec_1'),
  )
  expect(unpaid.hero).toMatch(/Listing on bazaar claims 900 calls .*Its receiver has no USDC receipts/)
})

test("behavior: a price above the host's own document shows both, though the document was read again", async () => {
  const { hero } = await openAs('search.lumenworks.io', ({ listings }, observation) => ({
    ...found(
      'price_bait',
      'It asks $0.01; its own document says $0.005. Clears then.',
      observation,
      'lst_older',
    ),
    listings: listings.map((one) => ({
      ...one,
      ownClaim: true,
      claimedAt: SAMPLE_NOW - HOUR,
      claims: { ...one.claims, priceUsd: 0.005 },
    })),
  }))
  expect(hero).toMatch(
    /Its own document says \$0\.005 .*2026-11-21 09:42 UTC It asks \$0\.01 to 0x.* on Base, exact 2026-11-\d+ Probe/,
  )
})

test('behavior: clients are named once their probes are 24 hours old, and counted before that', async () => {
  const host = 'llm.quickinfer.net'
  const deps = await createSampleDeps(samplesOf(host))
  const [observation] = await readObservations(deps.store, `https://${host}/v1/chat`, { newest: 1 })
  if (observation === undefined) throw new Error('no probe')
  const other = observation.offers.map((offer) => ({ ...offer, payTo: sampleAddress(5) }))
  const sides = await readSides(
    (...of) => readObservations(deps.store, ...of),
    [
      { ...observation, client: '1' },
      { ...observation, id: 'obs_other', client: '2', offers: other },
    ],
  )
  const show = (now: number) => sides.map((side) => showSide(side, () => true, now))
  expect(show(observation.at + DAY).map(({ label, isByDay }) => [label, isByDay])).toEqual([
    ["Shown to Node's fetch", false],
    ["Shown to Python's httpx", false],
  ])
  expect(show(observation.at + DAY - 1).map(({ label, isByDay }) => [label, isByDay])).toEqual([
    ['Shown to 1 client', true],
    ['Shown to 1 client', true],
  ])
})

test('behavior: a receiver that rotates is none, and has no record', async () => {
  const { text } = await openAs('search.lumenworks.io', () => ({
    ...found('payto_rotates', 'Two probes within a minute named two receivers. Clears later.'),
    receiverStability: null,
  }))
  expect(text).toContain('on Base to a new receiver for each request')
  expect(text).not.toMatch(/Receivers|USDC receipts? from|its explorer page/)
})

test('behavior: an endpoint that never answered with valid terms is said to have failed so', async () => {
  const host = 'empty.example'
  const [sample] = samplesOf('search.lumenworks.io')
  if (sample === undefined) throw new Error('no sample')
  const origin = await openPages([{ ...sample, host, days: 3, outcome: () => 'down' }])
  const page = textOf(await (await fetch(`${origin}/services/${host}`, HTML)).text())
  expect(page).toMatch(/Last answered with terms never, in \d+ probes of 30 days Since then HTTP 502/)
  const deps = await createSampleDeps(samplesOf('data.coldharbor.org'))
  const [observation] = await readObservations(deps.store, 'https://data.coldharbor.org/tides', { newest: 1 })
  expect(
    observation && [502, 402].map((httpStatus) => describeAnswer({ ...observation, httpStatus })),
  ).toEqual(['HTTP 502', 'HTTP 402 without valid terms'])
})
