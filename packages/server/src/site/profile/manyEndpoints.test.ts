import { ProfileSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { toRow } from '../../publish/hostIndex.ts'
import { documentOf } from '../../store/testing/records.ts'
import { createAnsweredStore } from '../../store/testing/withFaults.ts'
import { HTML, openPages } from '../testing/openPages.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'

const HOST = 'many.example'
const ENDPOINTS = 5000

const NONE = { count: 0, total: 0 }

/** Opens pages on a host with thousands of endpoints, each with a finding, and counts the documents that are read. */
async function open() {
  const states = documentOf(HOST, SAMPLE_NOW).endpoints.flatMap((state) =>
    Array.from({ length: ENDPOINTS }, (_, path) => ({
      ...state,
      endpoint: `https://${HOST}/${path}`,
      reasons: [
        { code: 'flaky', severity: 'warn' as const, message: 'Often down.', evidence: [`obs_${path}`] },
      ],
    })),
  )
  const byEndpoint = new Map(states.map((state) => [state.endpoint, state]))
  const updated_at = SAMPLE_NOW
  const rows = states.map((state) => ({ host: HOST, json: JSON.stringify(toRow(state)), updated_at }))
  const reads = { count: 0 }
  const many = createAnsweredStore(({ sql, parameters }) => {
    if (sql.includes('"state_json" as "json"')) throw new Error('a page reads no whole host')
    if (sql.includes('"row_json" as "json"')) return parameters[0] === HOST ? rows : []
    const state = byEndpoint.get(`${parameters.at(-1)}`)
    if (!sql.startsWith('select "state_json"') || state === undefined)
      return sql.includes('count(') ? [NONE] : []
    reads.count++
    return [{ state_json: JSON.stringify(state), place: null }]
  })
  return { origin: await openPages([], { store: many }), reads }
}

test('behavior: the page of a host with thousands of endpoints stays small and reads few of them', async () => {
  const { origin, reads } = await open()
  const html = await (await fetch(`${origin}/services/${HOST}`, HTML)).text()
  expect(html.length).toBeLessThan(100_000)
  expect(reads.count).toBeLessThanOrEqual(41)
  const text = html.replace(/<[^>]*>/g, '')
  expect(text).toContain('5,000 endpoints')
  expect(text).toContain('1 of 100')
  expect(text).toContain('and at 35 more')
  const focused = await fetch(`${origin}/services/${HOST}?endpoint=https%3A%2F%2F${HOST}%2F4999`, HTML)
  expect(await focused.text()).toContain(`/4999`)
  const json = await fetch(`${origin}/services/${HOST}`, { headers: { Accept: 'application/json' } })
  expect(ProfileSchema.parse(await json.json()).endpoints).toHaveLength(ENDPOINTS)
})

test('behavior: the table of endpoints is sorted, filtered and turned by links', async () => {
  const { origin } = await open()
  const read = async (query: string) => {
    const html = await (await fetch(`${origin}/services/${HOST}?${query}`, HTML)).text()
    const [, table = ''] = /<table class="endpoints">(.*?)<\/table>/s.exec(html) ?? []
    const rows = [...table.matchAll(/title="https:\/\/many\.example\/(\d+)"/g)].map(([, path]) => path)
    return { html, rows }
  }
  const first = await read('sort=endpoint')
  expect(first.rows).toHaveLength(50)
  expect(first.rows.slice(0, 3)).toEqual(['0', '1', '10'])
  expect(first.html).toContain('aria-sort="other"><a href=')
  const last = await read('sort=endpoint&page=999')
  expect([last.rows.length, last.rows.at(-1)]).toEqual([50, '999'])
  expect(last.html).toContain('100 of 100')
  expect((await read('status=dark')).html).toContain('No endpoint has this status.')
  const [, next = ''] = /<a href="([^"]*page=2[^"]*)">Next/.exec(first.html) ?? []
  expect(next).toMatch(/sort=endpoint.*#endpoints$/)
})
