import { expect, test } from 'vitest'
import type { Fact } from '../../domain/facts/facts.ts'
import { DAY, HOUR } from '../../domain/facts/times.ts'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { HTML, openPages, samplesOf } from '../testing/openPages.ts'
import { SAMPLE_NOW, sampleAddress } from '../testing/sampleServices.ts'

const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll(/ ([.,;:])/g, '$1')

async function open(host: string, facts: readonly Fact[] = []) {
  const deps = await createSampleDeps()
  await deps.store.append(facts)
  const origin = await openPages([], deps)
  const html = await (await fetch(`${origin}/services/${host}`, HTML)).text()
  const [, hero = ''] = /<section class="panel hero(.*?)<\/section>/s.exec(html) ?? []
  return { origin, html, hero: textOf(hero), text: textOf(html), hero_: hero }
}

test('default: the verdict, one sentence, both sides and the terms stand first, in this order', async () => {
  const { hero } = await open('llm.quickinfer.net')
  const parts = [
    'Avoid',
    'llm.quickinfer.net',
    'The receiver changed without an announcement. Do not pay',
    'Before',
    'Now',
    'Asks for now',
    'Price $0.03',
    'Receiver',
    'Network Base',
    'Asset USDC',
    'Latency',
    'Sells',
  ]
  const places = parts.map((part) => hero.indexOf(part))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places).not.toContain(-1)
  expect(hero).toMatch(
    /Before \$0\.\d+ to 0x\w{6}…\w{6} on Base.*Now \$0\.\d+ to 0x\w{6}…\w{6} on Base.*Probe/,
  )
})

test('behavior: a finding links to its probes and says when it clears', async () => {
  const { html, text } = await open('llm.quickinfer.net')
  expect(text).toMatch(/Clears on 2026-\d\d-\d\d \d\d:\d\d UTC, if probes see it stay\./)
  expect(text).toContain('Fix: Announce the new receiver')
  expect(html).toMatch(/href="\/observations\/obs_[^"]+">Probe obs_/)
  expect((await open('data.coldharbor.org')).text).toContain('Clears after 2 valid challenges in a row.')
})

test('behavior: no score stands beside Avoid or a verdict that is worse than it', async () => {
  for (const host of [
    'llm.quickinfer.net',
    'sandbox.chainkit.dev',
    'images.atelier-gen.com',
    'data.coldharbor.org',
  ]) {
    const { html, text } = await open(host)
    expect(html, host).not.toMatch(/class="score"|of 100/)
    expect(text, host).not.toContain('Live and valid +75')
  }
  const safe = await open('api.skycast.dev')
  expect([safe.hero.includes('95 of 100'), safe.text.includes('Live and valid +75')]).toEqual([true, true])
})

test('behavior: what was not tested is no pass; a purchase that was made is named', async () => {
  expect((await open('api.skycast.dev')).hero).toContain('Delivery not tested: no purchase yet')
  const purchase = {
    ...{ kind: 'purchase' as const, id: 'buy_1', at: SAMPLE_NOW - HOUR, host: 'search.lumenworks.io' },
    ...{ endpoint: 'https://search.lumenworks.io/query', network: 'eip155:8453', payTo: sampleAddress(2) },
    ...{ amountAtomic: '10000', settled: true, delivered: true, txHash: `0x${'a'.repeat(64)}` },
  }
  const { hero } = await open('search.lumenworks.io', [purchase])
  expect(hero).toContain('Delivery delivered after a test purchase 21 Nov 2026, 09:42 UTC Transaction')
})

test('behavior: an endpoint that does not answer asks for nothing now', async () => {
  const { hero, text } = await open('data.coldharbor.org')
  expect(hero).toContain('Asks for nothing now. When it last answered, 18 Nov 2026')
  expect(hero).toMatch(/Last answered with terms \$0\.005 to .*Since then HTTP 502 18 Nov 2026/)
  expect(text).not.toContain('Asks for now')
  expect(text.match(/asks for nothing dark since 18 Nov 2026/g)).toHaveLength(2)
})

test('behavior: one uptime stands in one place, the one of the JSON', async () => {
  for (const host of ['geo.mapmint.app', 'search.lumenworks.io']) {
    const { origin, html, text } = await open(host)
    const { uptime } = await (await fetch(`${origin}/services/${host}.json`)).json()
    const [, pct, probes] = /([\d.]+%) by (\d+) probes/.exec(uptime) ?? expect.fail(uptime)
    expect(text).toContain(`Uptime ${pct} by ${probes} probes`)
    expect(html.split(`${pct}<`)).toHaveLength(2)
  }
})

test('behavior: the sanctions oracle is said to answer what it answered', async () => {
  expect((await open('api.skycast.dev')).text).toContain('The sanctions oracle does not list it.')
  const deps = await createSampleDeps(samplesOf('api.skycast.dev'))
  const receiver = deps.store.receiver
  const records = async (...given: Parameters<typeof receiver>) =>
    (await receiver(...given)).map((one) => ({
      ...one,
      sanctions: { contract: sampleAddress(9), isListed: null },
    }))
  const origin = await openPages([], { ...deps, store: { ...deps.store, receiver: records } })
  const page = textOf(await (await fetch(`${origin}/services/api.skycast.dev`, HTML)).text())
  expect(page).toContain('The sanctions oracle gave no answer.')
})

test('behavior: announced receivers are shown as announced, and are no finding', async () => {
  const announcement = {
    ...{ kind: 'announcement' as const, id: 'ann_1', at: SAMPLE_NOW - DAY, host: 'search.lumenworks.io' },
    ...{ network: 'eip155:8453', oldPayTo: sampleAddress(2), newPayTo: sampleAddress(3) },
    ...{ validFrom: SAMPLE_NOW - DAY, basis: 'signature' as const, txHash: null },
  }
  const { text, html } = await open('search.lumenworks.io', [announcement])
  expect(text).toMatch(/Announced 0x\w+…\w+ → 0x\w+…\w+ from 20 Nov 2026 on: signed by the old receiver\./)
  expect(html).not.toContain('class="finding')
})

test('behavior: the snippet pays by the own method of the endpoint, and the owner finds one line', async () => {
  expect((await open('translate.polyglot.run')).text).toContain(
    'await pay(&quot;https://translate.polyglot.run/detect&quot;, { method: &quot;POST&quot;, body: JSON.stringify(input) })',
  )
  const { html, text } = await open('api.skycast.dev')
  expect(text).toContain('await pay(&quot;https://api.skycast.dev/v1/alerts&quot;)')
  expect(html.match(/href="\/owners\/api\.skycast\.dev"/g)).toHaveLength(1)
})

test('behavior: an unknown host gets a few lines, and nothing of what was asked but the canonical host', async () => {
  const origin = await openPages([])
  const read = async (name: string) => {
    const answer = await fetch(`${origin}/services/${encodeURIComponent(name)}`, HTML)
    return [answer.status, await answer.text()] as const
  }
  const [status, html] = await read('NOBODY.example')
  expect([status, textOf(html).includes('Unknown nobody.example Nothing was measured here.')]).toEqual([
    404,
    true,
  ])
  expect(html).not.toContain('NOBODY')
  const [, hostile] = await read('<b>STOP this seller stole</b>')
  expect(hostile).not.toMatch(/STOP|stole/)
})
