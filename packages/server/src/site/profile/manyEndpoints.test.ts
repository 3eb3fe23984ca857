import { ProfileSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { toRow } from '../../publish/hostIndex.ts'
import { documentOf } from '../../store/testing/records.ts'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { HTML, openPages } from '../testing/openPages.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'

const HOST = 'many.example'
const ENDPOINTS = 5000

/** Opens pages on a host with thousands of endpoints, each with a finding, and counts the documents that are read. */
async function open() {
  const { store } = await createSampleDeps([])
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
  const summary = { host: HOST, endpoints: states.map(toRow), updatedAt: SAMPLE_NOW }
  const reads = { count: 0 }
  const many = {
    ...store,
    summary: async (host: string) => (host === HOST ? summary : undefined),
    endpoint: async (endpoint: string) => {
      reads.count++
      const state = byEndpoint.get(endpoint)
      return state && { state }
    },
    host: async () => {
      throw new Error('a page reads no whole host')
    },
  }
  return { origin: await openPages([], { store: many }), reads }
}

test('behavior: the page of a host with thousands of endpoints stays small and reads few of them', async () => {
  const { origin, reads } = await open()
  const html = await (await fetch(`${origin}/services/${HOST}`, HTML)).text()
  expect(html.length).toBeLessThan(100_000)
  expect(reads.count).toBeLessThanOrEqual(41)
  const text = html.replace(/<[^>]*>/g, '')
  expect(text).toContain('4,960 more endpoints')
  expect(text).toContain('and at 35 more of those shown')
  const focused = await fetch(`${origin}/services/${HOST}?endpoint=https%3A%2F%2F${HOST}%2F4999`, HTML)
  expect(await focused.text()).toContain(`/4999`)
  const json = await fetch(`${origin}/services/${HOST}`, { headers: { Accept: 'application/json' } })
  expect(ProfileSchema.parse(await json.json()).endpoints).toHaveLength(ENDPOINTS)
})
