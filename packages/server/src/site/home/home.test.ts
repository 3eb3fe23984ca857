import { FLAG_RECORDS, FLAGS, VERDICT_LABELS, VERDICTS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { CrawlProgress } from '../../facts/crawlProgress.ts'
import { readReports } from '../../store/facts.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { documentOf, NOON } from '../../store/testing/records.ts'
import { withReads } from '../../store/testing/withFaults.ts'
import { createSampleAnswers } from '../testing/createSampleAnswers.ts'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { HTML, openPages, samplesOf } from '../testing/openPages.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'
import { readListView, readServicePage, viewUrl } from './services.tsx'

const textOf = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
const panelOf = (html: string, id: string) =>
  new RegExp(`<h2 id="${id}".*?</section>`, 's').exec(html)?.[0] ?? ''

/** Asks the box. Returns the redirect, or the panel that answers. */
async function ask(origin: string, query: string) {
  const url = `${origin}/?${new URLSearchParams({ q: query })}`
  const answer = await fetch(url, { ...HTML, redirect: 'manual' })
  const html = await answer.text()
  return answer.headers.get('location') ?? panelOf(html, 'answer')
}

test('default: what is known leads to its page, from a URL or a host as it is typed', async () => {
  const origin = await openPages()
  const forecast = '/services/api.skycast.dev?endpoint=https%3A%2F%2Fapi.skycast.dev%2Fv1%2Fforecast'
  for (const query of [
    'https://api.skycast.dev/v1/forecast',
    ' https://API.skycast.dev/v1/forecast?city=Oslo#x ',
    'api.skycast.dev/v1/forecast',
  ])
    expect(await ask(origin, query), query).toBe(forecast)
  for (const query of ['api.skycast.dev', 'API.SKYCAST.dev', 'https://api.skycast.dev/'])
    expect(await ask(origin, query), query).toBe('/services/api.skycast.dev')
  expect(await ask(origin, 'https://api.skycast.dev/v1/history/oslo')).toMatch(/history%2F%257Bstation%257D$/)
})

test('behavior: what is unknown is offered a Check of all that was typed, and never called safe', async () => {
  const origin = await openPages(samplesOf('api.skycast.dev'))
  const long = `https://nobody.example/${'a'.repeat(1500)}?b=1`
  for (const [query, url] of [
    [long, long],
    ['nobody.example', 'https://nobody.example/'],
    ['nobody.example/a', 'https://nobody.example/a'],
    ['https://api.skycast.dev/v9/never-seen', 'https://api.skycast.dev/v9/never-seen'],
  ] as const) {
    const panel = await ask(origin, query)
    expect(panel).toContain('v-unknown')
    expect(panel).toContain(
      `<form class="form" action="/scans" method="post"><input type="hidden" name="url" value="${url}"`,
    )
    expect(panel).not.toContain('v-safe')
  }
  expect(await ask(origin, 'https://api.skycast.dev/v9/x')).toContain('href="/services/api.skycast.dev"')
  for (const query of ['hello', 'two words', 'https://hello/a'])
    expect(await ask(origin, query), query).toContain(
      'Not a URL, host or receiver address that can be checked',
    )
  const development = await openPages([], { config: { developmentAllowHosts: ['hello'] } })
  expect(await ask(development, 'hello')).toContain('value="https://hello/"')
})

test('behavior: the box keeps what was typed, whole and escaped', async () => {
  const origin = await openPages([])
  const typed = `https://a.example/"><script>x</script>${'b'.repeat(4000)}`
  const html = await (await fetch(`${origin}/?${new URLSearchParams({ q: typed })}`, HTML)).text()
  expect(html).toContain(`value="https://a.example/&quot;>&lt;script>x&lt;/script>${'b'.repeat(4000)}"`)
  expect(html).not.toMatch(/<script>x|maxlength/i)
})

test('behavior: a receiver shows the hosts that name it now', async () => {
  const [one = expect.fail('no sample')] = samplesOf('api.skycast.dev')
  const payTo = '0x11111111111111111111111111111111111111aa'
  const origin = await openPages(['a.example', 'b.example'].map((host) => ({ ...one, host, payTo })))
  const panel = await ask(origin, payTo.toUpperCase().replace('0X', '0x'))
  expect(textOf(panel)).toContain('receives for 2 services')
  for (const host of ['a.example', 'b.example']) expect(panel).toContain(`href="/services/${host}"`)
  expect(textOf(await ask(origin, `0x${'22'.repeat(20)}`))).toContain('receives for no known service')
})

test('behavior: the counts of the page agree with each other and with /status.json', async () => {
  const deps = await createSampleDeps()
  const answers = createSampleAnswers(deps)
  const { ecosystem, catalogAudit } = (await answers.status({})).body
  const incidents = (await answers.incidents({ days: 365, limit: 1000 })).body.incidents
  const origin = await openPages([], deps)
  const read = async (path: string) => (await fetch(origin + path, HTML)).text()
  const html = await read('/')
  const index = await (await fetch(origin, { headers: { Accept: 'application/json' } })).json()
  const { tracked, live, dead, invalid, unmeasured } = ecosystem
  const directories = textOf(panelOf(html, 'directories'))
  expect(directories).toContain(
    `${tracked} endpoints: ${live} live, ${dead} dark, ${invalid} invalid, ${unmeasured} not measured.`,
  )
  expect(catalogAudit.length).toBeGreaterThan(1)
  const rows = panelOf(html, 'directories')
    .match(/<tr>.*?<\/tr>/gs)
    ?.slice(1)
    .map(textOf)
  expect(rows?.map((row) => row.trim().replace('&quot;', '"').replace('&lt;', '<'))).toEqual(
    catalogAudit.map(({ directory, listed, working, accuracyPct }) =>
      ` ${directory} ${listed} ${working} ${accuracyPct}%`.trim(),
    ),
  )
  const today = textOf(panelOf(html, 'today'))
  const [, safePct, avoid] =
    new RegExp(`(\\d+)% of ${index.total} services are safe to pay; (\\d+) to avoid`).exec(today) ?? []
  const chips = textOf(panelOf(html, 'services'))
  expect(chips).toContain(`Avoid ${avoid}`)
  expect(chips).toContain(`All ${index.total}`)
  let sum = 0
  for (const verdict of VERDICTS) {
    const count = (await read(`/?verdict=${verdict}`)).match(/<td class="whole"/g)?.length ?? 0
    expect(chips).toContain(`${VERDICT_LABELS[verdict]} ${count}`)
    if (verdict === 'safe') expect(safePct).toBe(`${Math.round((100 * count) / index.total)}`)
    sum += count
  }
  expect(sum).toBe(index.total)
  const open = incidents.filter(({ status }) => status === 'open').length
  expect(open).toBeGreaterThan(0)
  expect(textOf(panelOf(html, 'week'))).toContain(`${open} open incident`)
})

test('behavior: the number, directories and changes stand before the box and the list; an answer goes first', async () => {
  const origin = await openPages()
  const html = await (await fetch(origin, HTML)).text()
  const places = ['today', 'directories', 'week', 'ask', 'services'].map((id) =>
    html.indexOf(`<h2 id="${id}"`),
  )
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(places[0]).toBeGreaterThan(0)
  const asked = await (await fetch(`${origin}/?q=nobody.example`, HTML)).text()
  expect(asked.indexOf('id="answer"')).toBeLessThan(asked.indexOf('id="today"'))
})

test('behavior: the trend of the safe share comes from the reports, with what it was a week ago', async () => {
  const deps = await createSampleDeps()
  const html = await (await fetch(await openPages([], deps), HTML)).text()
  const before = (await readReports(deps.store)).find(({ date }) => date === '2026-11-14')
  const { hosts = 0, hostsByVerdict: { safe = 0 } = {} } = before ?? {}
  expect(hosts).toBeGreaterThan(0)
  const today = panelOf(html, 'today')
  expect(textOf(today)).toContain(`${Math.round((100 * safe) / hosts)}% on 2026-11-14`)
  expect(today).toMatch(
    /aria-label="Safe share of services, from 2026-11-01: [\d.]+% to 2026-11-21: [\d.]+%"/,
  )
  const without = { ...deps, store: withReads(deps.store, 'report', () => []) }
  expect(panelOf(await (await fetch(await openPages([], without), HTML)).text(), 'today')).not.toMatch(
    /<svg| on 2026/,
  )
})

test('behavior: no sentence counts services and endpoints together', async () => {
  const html = await (await fetch(await openPages(), HTML)).text()
  const [main = ''] = /<main.*<\/main>/s.exec(html) ?? []
  for (const sentence of main.split(/<\/(?:p|h\d|td|th|li|summary|a)>|[.;] /).map(textOf))
    expect([sentence, /\d (services|hosts)/.test(sentence) && /endpoint/.test(sentence)]).toEqual([
      sentence,
      false,
    ])
})

test('default: says how far the crawl is', async () => {
  const crawl = { failingSince: null, due: 0, lastProbeAt: SAMPLE_NOW } as CrawlProgress
  const read = async (changes: Partial<CrawlProgress>) =>
    textOf(await (await fetch(await openPages([], { crawl: () => ({ ...crawl, ...changes }) }), HTML)).text())
  expect(await read({})).toContain('Crawl up to date, 2026-11-21 10:42 UTC')
  expect(await read({ due: 328 })).toContain('Crawl running, 328 probes due, 2026-11-21 10:42 UTC')
  expect(await read({ lastProbeAt: null })).not.toContain('Crawl')
})

test('behavior: each row of the list has a reason, the worst verdict first', async () => {
  const html = await (await fetch(await openPages(), HTML)).text()
  const verdicts = [...panelOf(html, 'services').matchAll(/<span class="tag v-([a-z]+)"/g)].map(
    ([, name]) => name,
  )
  expect([verdicts[0], verdicts.at(-1)]).toEqual(['avoid', 'safe'])
  const reasons = [...html.matchAll(/<td class="whole">([^<]*)<\/td>/g)].map(([, reason]) => reason)
  expect([reasons.length, reasons.every((reason) => reason !== '')]).toEqual([verdicts.length, true])
  expect(html.length).toBeLessThan(60_000)
})

test('behavior: what is dark asks for nothing, uptime is that of the profile, and no score flatters', async () => {
  const origin = await openPages()
  const html = await (await fetch(`${origin}/?sort=name`, HTML)).text()
  const rowOf = (host: string) =>
    textOf(
      panelOf(html, 'services')
        .split('<tr>')
        .find((row) => row.includes(`/services/${host}"`)) ?? '',
    )
  const uptimeOf = async (host: string) => {
    const answer = await fetch(`${origin}/services/${host}`, { headers: { Accept: 'application/json' } })
    return (await answer.json()).uptime
  }
  for (const host of ['data.coldharbor.org', 'api.skycast.dev'])
    expect(rowOf(host)).toContain(await uptimeOf(host))
  expect(rowOf('data.coldharbor.org')).toMatch(/Avoid – Dark since 2026-11-18 – /)
  expect(rowOf('api.skycast.dev')).toMatch(/Safe to pay 9\d Price differs from a listing \$0\.005 /)
  // Its score of 90 is overruled by a flag.
  expect(rowOf('sandbox.chainkit.dev')).toMatch(/Avoid – Test network/)
})

test('default: pages the services, worst verdict first or in another order, and stops at the last page', async () => {
  const store = createMemoryStore()
  for (let number = 0; number < 70; number++) {
    const doubt = number % 2 === 0 ? {} : { riskLevel: 'medium' as const, flags: ['price_high' as const] }
    const score = 100 - Math.floor(number / 4)
    for (const state of documentOf(`h${`${number}`.padStart(2, '0')}.example`, NOON).endpoints)
      await store.write('putEndpoint', { ...state, ...doubt, score })
  }
  const matching = { all: 70, safe: 35, caution: 35, avoid: 0 }
  const read = async (search: string) => {
    const view = readListView(search)
    const count = matching[(view.verdict ?? 'all') as keyof typeof matching]
    const found = await readServicePage({ store }, count, view, NOON)
    return [found.services.length, found.services[0]?.host, found.view.page, found.pages]
  }
  expect(await read('')).toEqual([25, 'h01.example', 1, 3])
  expect(await read('page=2')).toEqual([25, 'h51.example', 2, 3])
  expect(await read('page=3')).toEqual([20, 'h30.example', 3, 3])
  expect(await read('sort=best')).toEqual([25, 'h00.example', 1, 3])
  expect(await read('sort=best&page=2')).toEqual([25, 'h50.example', 2, 3])
  expect(await read('sort=name&page=3')).toEqual([20, 'h50.example', 3, 3])
  expect(await read('verdict=safe&page=2')).toEqual([10, 'h50.example', 2, 2])
  expect(await read('verdict=caution&page=999999')).toEqual([10, 'h51.example', 2, 2])
  expect(await read('verdict=avoid')).toEqual([0, undefined, 1, 1])
  expect(await read('flag=price_high&sort=name&page=2')).toEqual([10, 'h51.example', 2, 2])
  expect(await read('verdict=safe&flag=price_high')).toEqual([0, undefined, 1, 1])
  expect(await read('verdict=safe&sort=name')).toEqual([25, 'h00.example', 1, 2])
})

test('behavior: a view of the list is read once for all who ask while nothing changes', async () => {
  const sampled = await createSampleDeps()
  let reads = 0
  const store = withReads(sampled.store, 'host', (rows) => {
    reads++
    return rows
  })
  const origin = await openPages([], { ...sampled, store })
  const read = async (search: string) => {
    const answer = await fetch(`${origin}/${search}`, HTML)
    return [answer.headers.get('etag'), await answer.text()]
  }
  for (const search of ['', '?sort=name', '?verdict=avoid&flag=dark', '?page=2']) {
    const first = await read(search)
    const before = reads
    expect(await read(search), search).toEqual(first)
    expect([search, reads]).toEqual([search, before])
  }
})

test('behavior: flags are ordered from mild to grave, which rows and filters rely on', () => {
  const risks = FLAGS.map((flag) => ['low', 'medium', 'high'].indexOf(FLAG_RECORDS[flag].risk))
  expect(risks).toEqual(risks.toSorted())
})

test('behavior: links keep what is chosen, and invalid choices are ignored', () => {
  const view = readListView('verdict=avoid&flag=cloaked&sort=best&page=3')
  const kept = '/?verdict=avoid&flag=cloaked&sort=best&page=4#services'
  expect(viewUrl(view, { page: 4 })).toBe(kept)
  expect(viewUrl(view, { flag: undefined })).toBe('/?verdict=avoid&sort=best#services')
  expect(viewUrl(readListView('verdict=x&flag=__proto__&sort=y&page=0'), {})).toBe('/#services')
})

test('behavior: the page says so while probes fail on our side, and names no package that cannot be installed', async () => {
  const crawl: CrawlProgress = {
    discoveries: 1,
    listed: 5,
    rows: { bazaar: 5 },
    skipped: {},
    probes: 12,
    failures: 0,
    due: 328,
    lastProbeAt: SAMPLE_NOW,
    directories: { read: 2, failed: 1, reading: 0 },
    round: null,
    lastFinishedAt: null,
    failingSince: SAMPLE_NOW - 3_600_000,
    slowestProbeMs: 850,
  }
  const read = async (progress?: CrawlProgress) =>
    (await fetch(await openPages([], progress && { crawl: () => progress }), HTML)).text()
  expect(textOf(await read(crawl))).toMatch(
    /Crawl failing: no probe from here measured anything since .*\(1 hour ago\)/,
  )
  for (const html of [await read({ ...crawl, failingSince: null }), await read()])
    expect(html).not.toMatch(/Crawl failing|npm/)
})
