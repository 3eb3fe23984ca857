import { expect, test } from 'vitest'
import { FORMS } from '../http/paths.ts'
import { createPages } from './createPages.ts'
import { REDIRECTS } from './redirects.ts'
import { createSampleDeps } from './testing/createSampleDeps.ts'
import { HTML, openPages, samplesOf } from './testing/openPages.ts'

const isMoved = (path: string) => REDIRECTS.some(({ from }) => from === path)

const HOST = 'api.skycast.dev'
test('default: the OpenAPI document lists every form, and no form that does not exist', async () => {
  const pages = createPages(await createSampleDeps([]))
  const paths = pages
    .filter(({ post }) => post !== undefined)
    .map(({ path }) => path.replace(':host', '{host}'))
  const forms = paths.filter((path) => path in FORMS || !isMoved(path))
  expect([...new Set(forms)].sort()).toEqual(Object.keys(FORMS).sort())
})

test('behavior: the example of each answer fits its schema and no field is left out', () => {
  for (const [path, { schema, example }] of Object.entries(FORMS))
    expect([path, schema.parse(example)]).toEqual([path, example])
})

/** The required fields of a request; the first field if none is. */
function requestOf(path: string): Record<string, string> {
  const all = Object.entries(FORMS[path]?.fields ?? {}).map(([name, { required, example }]) => ({
    required,
    given: [name, example] as const,
  }))
  const needed = all.filter(({ required }) => required)
  return Object.fromEntries((needed.length > 0 ? needed : all.slice(0, 1)).map(({ given }) => given))
}

// The forms of the owner page need a host that answers, see owner.test.ts.
const REPLAYED = Object.keys(FORMS).filter((path) => !path.startsWith('/owners/'))

test.each(REPLAYED)('behavior: %s answers its example as documented, by form and by JSON', async (path) => {
  const origin = await openPages(samplesOf(HOST))
  const post = (body: URLSearchParams | string, headers: Record<string, string> = {}) =>
    fetch(origin + path, { method: 'POST', body, headers, redirect: 'manual' })
  const { success, schema, example } = FORMS[path] ?? raise()
  const json = await post(JSON.stringify(requestOf(path)), { 'Content-Type': 'application/json' })
  expect(json.status).toBe(success[0])
  expect(json.headers.get('content-type')).toContain('application/json')
  const body = await json.json()
  expect(schema.parse(body)).toEqual(body)
  expect(Object.keys(body)).toEqual(Object.keys(example))

  const fresh = await openPages(samplesOf(HOST))
  const form = new URLSearchParams(requestOf(path))
  const sent = await fetch(fresh + path, { method: 'POST', body: form, ...HTML, redirect: 'manual' })
  expect([sent.status, sent.headers.get('content-type')?.split(';')[0]]).toEqual([303, 'text/plain'])
  expect(sent.headers.get('location')).toMatch(/^\//)

  const [missing] = Object.keys(requestOf(path))
  const refused = await post(JSON.stringify({}), { 'Content-Type': 'application/json' })
  expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/problem+json'])
  expect((await refused.json()).errors).toMatchObject([{ parameter: missing }])
  const shown = await post(new URLSearchParams(), HTML.headers)
  expect([shown.status, shown.headers.get('content-type')?.split(';')[0]]).toEqual([400, 'text/html'])
  expect((await post('x', { 'Content-Type': 'text/plain' })).status).toBe(415)
  expect((await post(new URLSearchParams({ a: 'x'.repeat(17_000) }))).status).toBe(413)
})

function raise(): never {
  throw new Error('there is no such path')
}
