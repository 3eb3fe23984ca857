import type { Delivery } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { Purchase } from '../../facts/facts.ts'
import { DAY, HOUR } from '../../facts/times.ts'
import { NEVER_BOUGHT } from '../../judge/delivery.ts'
import { readHost } from '../../store/hosts.ts'
import { withReads } from '../../store/testing/withFaults.ts'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { HTML, openPages, samplesOf } from '../testing/openPages.ts'
import { SAMPLE_NOW, sampleAddress } from '../testing/sampleServices.ts'
import { openProfile, textOf } from './testing/openProfile.ts'

test('default: the verdict, its score, one sentence, both sides and the fields stand first, in this order', async () => {
  const { hero } = await openProfile('llm.quickinfer.net')
  const parts = [
    'Avoid',
    'score 20 of 100, bad',
    'llm.quickinfer.net',
    'The receiver changed without an announcement. Do not pay',
    'Measured 2026-11-21 10:19 UTC (23 minutes ago)',
    'Before',
    'Now',
    'Trust score 20',
    'Open incidents 2',
    'Use the live check /trust before paying.',
  ]
  const places = parts.map((part) => hero.indexOf(part))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places).not.toContain(-1)
  expect(hero).toMatch(
    /Before \$0\.\d+ to 0x\w{6}…\w{6} on Base.*Now \$0\.\d+ to 0x\w{6}…\w{6} on Base.*Probe/,
  )
})

test('behavior: a finding links to its probes and says when it clears', async () => {
  const { html, text } = await openProfile('llm.quickinfer.net')
  expect(text).toMatch(/Clears on 2026-\d\d-\d\d \d\d:\d\d UTC if the receiver does not change again\./)
  expect(text).toContain('Fix: Announce the new receiver')
  expect(html).toMatch(/href="\/observations\/obs_[^"]+">Probe obs_/)
  expect((await openProfile('data.coldharbor.org')).text).toContain(
    'Clears after 2 valid challenges in a row.',
  )
})

test('behavior: the score stands with its band, and with what overrules it in words, never as a code', async () => {
  const plateOf = async (host: string) => (await openProfile(host)).hero.split(` ${host}`)[0]
  expect(await plateOf('api.skycast.dev')).toContain('Safe to pay score 95 of 100, excellent')
  expect(await plateOf('data.coldharbor.org')).toContain('Avoid score 0 of 100, bad')
  const overruled = await plateOf('images.atelier-gen.com')
  expect(overruled).toContain('of 100, overruled by: price far above comparable ones')
  expect(overruled).not.toMatch(/[a-z]_[a-z]/)
  const { text } = await openProfile('llm.quickinfer.net')
  expect(text).toMatch(/How the score of 20 adds up .* Live and valid .* \+75 .* Open incident .* −18/)
})

test('behavior: the title says in words what overrules the score', async () => {
  const titleOf = async (host: string) => /<title>(.*?)<\/title>/.exec((await openProfile(host)).html)?.[1]
  expect(await titleOf('images.atelier-gen.com')).toBe(
    'images.atelier-gen.com: Caution: its price is far above the usual',
  )
  expect(await titleOf('api.skycast.dev')).toBe('api.skycast.dev: Safe to pay 95')
  expect(await titleOf('llm.quickinfer.net')).toBe('llm.quickinfer.net: Avoid')
})

test('behavior: a changed receiver is one block: what was measured, the change, the incident, what ends it, the evidence', async () => {
  const { html } = await openProfile('llm.quickinfer.net')
  const [, block = ''] = /<article class="finding v-avoid">(.*?)<\/article>/s.exec(html) ?? []
  const text = textOf(block)
  expect(text).toMatch(
    /Receiver changed, 2026-11-15 The receiver changed from .* payto_changed high risk\. Clears on 2026-12-15 .* 2026-11-15: 0x.* → 0x.* Incident open since 2026-11-21 .* Proof on chain .* Fix: .* Evidence: 12 records/,
  )
  expect(text).toContain('log recompute findings https://llm.quickinfer.net/v1/chat --service')
  expect(block.match(/>Probe obs_/g)).toHaveLength(12)
  const [, earlier = ''] = /aria-labelledby="history"(.*?)<\/section>/s.exec(html) ?? []
  expect(textOf(earlier)).toContain('Price increased')
  expect(textOf(earlier)).not.toContain('Receiver changed')
})

test('behavior: marks follow the risk: what is medium or low never has the mark of what is high', async () => {
  const { html } = await openProfile('llm.quickinfer.net')
  const risks = [...html.matchAll(/<article class="finding (v-\w+)">.*?(high|medium|low) risk/gs)]
  expect(risks.map(([, mark, risk]) => `${risk} ${mark}`)).toEqual([
    'high v-avoid',
    'medium v-caution',
    'low v-info',
  ])
})

const bought: Purchase = {
  kind: 'purchase',
  id: 'buy_1',
  at: SAMPLE_NOW - HOUR,
  host: 'search.lumenworks.io',
  endpoint: 'https://search.lumenworks.io/query',
  network: 'eip155:8453',
  payTo: sampleAddress(2),
  amountAtomic: '10000',
  settled: true,
  delivered: true,
  httpStatus: 200,
  shownFrom: SAMPLE_NOW + DAY,
  txHash: `0x${'a'.repeat(64)}`,
}

async function openBought(purchase: Purchase, delivery: Delivery) {
  const deps = await createSampleDeps(samplesOf(bought.host))
  await deps.store.write('append', [purchase])
  const states = (await readHost(deps.store, bought.host))?.endpoints ?? []
  for (const state of states) await deps.store.write('putEndpoint', { ...state, delivery })
  const origin = await openPages([], deps)
  const html = await (await fetch(`${origin}/services/${bought.host}`, HTML)).text()
  return { html, text: textOf(html) }
}

test('behavior: what was not tested is no pass', async () => {
  expect((await openProfile('api.skycast.dev')).hero).toContain('Delivery not tested: no purchase yet')
})

test('rule 13, abuse: a seller learns from its page neither that a purchase was the test nor when it was made', async () => {
  const hidden = await openBought(bought, NEVER_BOUGHT)
  expect(hidden.text).toContain('Delivery not tested: no purchase yet')
  expect(hidden.html).not.toContain(bought.txHash)
  const stated: Delivery = { status: 'delivered', month: '2026-11', paidUsd: 0.01, reason: null }
  const shown = await openBought({ ...bought, shownFrom: SAMPLE_NOW }, stated)
  expect(shown.text).toContain('Delivery delivered after a test purchase in 2026-11')
  expect(shown.text).not.toContain('09:42')
  expect(shown.html).not.toContain(bought.txHash)
})

test('behavior: a purchase is linked on the page once it is published', async () => {
  const at = SAMPLE_NOW - 30 * DAY
  const month = new Date(at).toISOString().slice(0, 7)
  const published = { ...bought, at, shownFrom: at + 3 * DAY }
  const stated: Delivery = { status: 'delivered', month, paidUsd: 0.01, reason: null }
  expect((await openBought(published, stated)).html).toContain(bought.txHash)
})

test('behavior: an endpoint that does not answer asks for nothing now', async () => {
  const { hero, text } = await openProfile('data.coldharbor.org')
  expect(text).toMatch(/Asked for until 2026-11-18; nothing now \$0\.005 in USDC on Base to 0x/)
  expect(hero).toContain('Liveness 0/2 dark since 2026-11-18')
  expect(hero).toMatch(/Last answered with terms \$0\.005 to .*Since then HTTP 502 2026-11-18/)
  expect(text).not.toContain('Asks for ')
})

test('behavior: one uptime stands in one place, the one of the JSON', async () => {
  for (const host of ['geo.mapmint.app', 'search.lumenworks.io']) {
    const { origin, html, text } = await openProfile(host)
    const { uptime } = await (await fetch(`${origin}/services/${host}.json`)).json()
    expect(text).toContain(`Uptime ${uptime} `)
    const [pct = ''] = /^[\d.]+%/.exec(uptime) ?? expect.fail(uptime)
    expect(html.split(`${pct}<small>`)).toHaveLength(2)
  }
})

test('behavior: the sanctions oracle is said to answer what it answered', async () => {
  expect((await openProfile('api.skycast.dev')).text).toContain('The sanctions oracle does not list it.')
  const deps = await createSampleDeps(samplesOf('api.skycast.dev'))
  const sanctions = { contract: sampleAddress(9), isListed: null }
  const store = withReads(deps.store, 'receiver', (rows) =>
    rows.map((row) => ({
      ...row,
      fact_json: JSON.stringify({ ...JSON.parse(`${row.fact_json}`), sanctions }),
    })),
  )
  const origin = await openPages([], { ...deps, store })
  const page = textOf(await (await fetch(`${origin}/services/api.skycast.dev`, HTML)).text())
  expect(page).toContain('The sanctions oracle gave no answer.')
})

test('behavior: a receiver whose record is empty has no history, not an unknown one', async () => {
  const { text } = await openProfile('ocr.neverpaid.example')
  expect(text).toContain('Receiver on chain no history: 0 USDC receipts from')
  expect((await openProfile('mail.unreached.example')).text).not.toContain('Receiver on chain not known')
})

test('behavior: what was asked and not measured is said to be so, without figures', async () => {
  const { text, hero } = await openProfile('mail.unreached.example')
  expect(hero).toMatch(/Asked 2026-11-21 10:19 UTC \(23 minutes ago\); nothing could be measured/)
  expect(hero).toContain('Uptime too few to state (0 probes)')
  expect(text).toContain('10 days in one picture Nothing was measured yet.')
  expect(text).not.toMatch(/Measured 20|measured here/)
  const quiet = { host: 'quiet.example', paths: ['/a'], days: 9, priceMicro: 1000, optsOut: true }
  const origin = await openPages([{ ...quiet, outcome: () => 'not_measured' }])
  const declined = textOf(await (await fetch(`${origin}/services/quiet.example`, HTML)).text())
  expect(declined).toMatch(
    /This host declines probes.*Asked 2026-11-21 10:19 UTC \(23 minutes ago\); nothing could be measured/,
  )
  expect(declined).toContain('Without a recent measurement it pays small amounts only')
  expect(declined).toMatch(/Findings Declines probes The host declines probes.* opted_out low risk\./)
  expect(declined).not.toContain('Fix:')
  expect((await openProfile('search.lumenworks.io')).text).toContain('Findings None.')
})

test('behavior: documents that could not be read are said on the profile and on the row in lists', async () => {
  const costly = { host: 'costly.example', paths: ['/a'], days: 9, priceMicro: 1000, isUnread: true }
  const origin = await openPages([{ ...costly, outcome: () => 'not_measured' }])
  const read = async (path: string) => textOf(await (await fetch(`${origin}${path}`, HTML)).text())
  const profile = await read('/services/costly.example')
  expect(profile).toContain(
    'The documents of this host could not be read in time, so its audit is not finished. They are read again soon.',
  )
  expect(profile).toMatch(
    /Findings Documents not read The documents of its host.* documents_unread low risk\./,
  )
  expect(await read('/?verdict=unknown')).toMatch(/costly\.example.*Documents not read/)
})

test('behavior: announced receivers are shown as announced, and are no finding', async () => {
  const announcement = {
    kind: 'announcement' as const,
    id: 'ann_1',
    at: SAMPLE_NOW - DAY,
    host: 'search.lumenworks.io',
    network: 'eip155:8453',
    oldPayTo: sampleAddress(2),
    newPayTo: sampleAddress(3),
    validFrom: SAMPLE_NOW - DAY,
    basis: 'signature' as const,
    txHash: null,
  }
  const { text, html } = await openProfile('search.lumenworks.io', [announcement])
  expect(text).toMatch(/Announced 0x\w+…\w+ → 0x\w+…\w+ from 2026-11-20 on: signed by the old receiver\./)
  expect(html).not.toContain('class="finding')
})

test('behavior: the snippet pays by the own method of the endpoint, and the owner finds one line', async () => {
  expect((await openProfile('translate.polyglot.run')).text).toContain(
    'await pay(&quot;https://translate.polyglot.run/detect&quot;, { method: &quot;POST&quot;, body: JSON.stringify(input) })',
  )
  const { html, text } = await openProfile('api.skycast.dev')
  expect(text).toContain('await pay(&quot;https://api.skycast.dev/v1/alerts&quot;)')
  expect(html.match(/href="\/owners\/api\.skycast\.dev"/g)).toHaveLength(1)
})

test('behavior: an unknown host gets a few lines, and nothing of what was asked', async () => {
  const origin = await openPages([])
  const read = async (name: string) => {
    const answer = await fetch(`${origin}/services/${encodeURIComponent(name)}`, HTML)
    return [answer.status, await answer.text()] as const
  }
  const [status, html] = await read('NOBODY.example')
  expect([status, textOf(html).includes('Not Found This host is not known here')]).toEqual([404, true])
  expect(html).not.toContain('NOBODY')
  const [, hostile] = await read('<b>STOP this seller stole</b>')
  expect(hostile).not.toMatch(/STOP|stole/)
})

test('behavior: the picture dates both ends of its axis, and no date stands twice', async () => {
  const datesOf = async (host: string, samples = samplesOf(host)) => {
    const origin = await openPages(samples)
    const html = await (await fetch(`${origin}/services/${host}`, HTML)).text()
    return [...html.matchAll(/<text class="t-name[^>]*>(\d{4}-\d\d-\d\d)</g)].map(([, date]) => date)
  }
  expect(await datesOf('llm.quickinfer.net')).toEqual([
    '2026-09-24',
    '2026-11-21',
    '2026-10-13',
    '2026-11-02',
  ])
  const [sample] = samplesOf('search.lumenworks.io')
  if (sample === undefined) throw new Error('no sample')
  expect(await datesOf(sample.host, [{ ...sample, days: 1 }])).toEqual(['2026-11-20', '2026-11-21'])
})
