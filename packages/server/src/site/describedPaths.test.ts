import { expect, test } from 'vitest'
import { PAGES, segmentsOf } from '../http/paths.ts'
import { createPages } from './createPages.ts'
import { REDIRECTS } from './redirects.ts'
import { createSampleDeps } from './testing/createSampleDeps.ts'
import { openPages, samplesOf } from './testing/openPages.ts'

/** Paths whose rest has several segments, files that are described apart, styling, icons, and forms without a page. */
const UNLISTED = /\*|^\/(assets|log)\/|^\/favicon|\/recheck$|^\/scans$|^\/owners\/\{host\}\//
/** Paths of what the samples do not have: records, and probes of what is submitted. */
const NOT_IN_SAMPLES =
  /^(\/cards)?\/(incidents|observations|scans)\/\{|^\/(owners\/\{host\}|mcp\/verify|findings)$/
/** Paths that the application or another room serves. */
const ELSEWHERE = ['/openapi.json', '/.well-known/jwks.json', '/healthz', '/readyz']

const toTemplate = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}')

test('default: the OpenAPI document lists every page, and no page that does not exist', async () => {
  const moved = REDIRECTS.map(({ from }) => toTemplate(from))
  const paths = createPages(await createSampleDeps([])).map(({ path }) => toTemplate(path))
  const listed = paths.filter((path) => !UNLISTED.test(path) && (path in PAGES || !moved.includes(path)))
  expect([...new Set([...listed, ...ELSEWHERE])].sort()).toEqual(Object.keys(PAGES).sort())
})

test('behavior: each example of a path answers 200 with each of its media types', async () => {
  const host = 'api.skycast.dev'
  const origin = await openPages(samplesOf(host))
  for (const [path, { types, example }] of Object.entries(PAGES)) {
    if (NOT_IN_SAMPLES.test(path)) continue
    const url = segmentsOf(path, example).reduce(
      (url, segment) => url.replace(`{${segment.name}}`, segment.example.replace('api.example.com', host)),
      path,
    )
    for (const type of types) {
      const target = type === 'image/svg+xml' ? url.replace('.json', '.svg') : url
      const response = await fetch(origin + target, { headers: { Accept: type } })
      const got = [path, response.status, response.headers.get('content-type')?.split(';')[0]]
      expect(got).toEqual([path, 200, type])
      await response.body?.cancel()
    }
  }
})
