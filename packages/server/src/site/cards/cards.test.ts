import { createRequire } from 'node:module'
import { inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { HTML, openPages, samplesOf } from '../testing/openPages.ts'
import { createRenderer } from './createRenderer.ts'
import { hostCard } from './describeCards.ts'
import { type Card, drawCard } from './drawCard.tsx'
import { fitText } from './fitText.ts'

const CARD: Card = {
  verdict: 'avoid',
  note: 'no score',
  subject: 'api.example.com',
  headline: 'Avoid',
  sentences: ['Nothing responds'],
  asOf: 'As of 21 Nov 2026',
}

async function openCard(origin: string, path: string) {
  const answer = await fetch(`${origin}/cards${path}.png`)
  return { answer, png: Buffer.from(await answer.arrayBuffer()) }
}

/** Returns the colour of the top left pixel, which every filter of the first line leaves as it is. */
function firstPixel(png: Buffer): number[] {
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  return [...inflateSync(Buffer.concat(parts)).subarray(1, 4)]
}

describe('card of a host', () => {
  test('default: a PNG of the size of a preview, cacheable and with an ETag', async () => {
    const origin = await openPages(samplesOf('api.skycast.dev'))
    const { answer, png } = await openCard(origin, '/services/api.skycast.dev')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(answer.headers.get('content-encoding')).toBeNull()
    expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=300, stale-while-revalidate=300$/)
    expect(png.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630])
    const etag = answer.headers.get('etag') ?? ''
    const again = await fetch(answer.url, { headers: { 'If-None-Match': etag } })
    expect([etag === '', again.status]).toEqual([false, 304])
  })

  test('behavior: has the colour of the verdict', async () => {
    const origin = await openPages()
    const colors = []
    for (const host of ['api.skycast.dev', 'llm.quickinfer.net'])
      colors.push(firstPixel((await openCard(origin, `/services/${host}`)).png))
    expect(colors).toEqual([
      [0x0a, 0x6b, 0x42],
      [0xa5, 0x1d, 0x18],
    ])
  })

  test('behavior: shows no score that the verdict overrules', async () => {
    const { store, clock } = await createSampleDeps()
    const plateOf = async (host: string) => {
      const summary = await store.summary(host)
      const { figure, note } = hostCard(summary ?? expect.fail(host), clock.now())
      return { figure, note }
    }
    expect(await plateOf('sandbox.chainkit.dev')).toEqual({ figure: undefined, note: 'no score' })
    expect(await plateOf('api.skycast.dev')).toEqual({ figure: '95', note: 'of 100' })
  })
})

test('behavior: incidents have cards', async () => {
  const origin = await openPages()
  const incidents = await fetch(`${origin}/incidents.rss`).then(readIds)
  const paths = incidents.map((id) => `/incidents/${id}`)
  expect(paths.length).toBeGreaterThan(0)
  for (const path of paths) {
    const { answer, png } = await openCard(origin, path)
    expect([path, answer.status, png.readUInt32BE(16)]).toEqual([path, 200, 1200])
  }
})

const readIds = async (rss: Response) =>
  [...(await rss.text()).matchAll(/<guid isPermaLink="false">([^<]+)/g)].map(([, id]) => id)

test('behavior: a page with a card names it for previews, with its size; others have none', async () => {
  const origin = await openPages()
  const tagsOf = async (path: string) => {
    const html = await (await fetch(origin + path, HTML)).text()
    const tags = html.matchAll(/<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)"/g)
    return Object.fromEntries([...tags].map(([, name, content]) => [name, content]))
  }
  expect(await tagsOf('/services/api.skycast.dev')).toMatchObject({
    'og:type': 'website',
    'og:url': 'https://touchstone.example/services/api.skycast.dev',
    'og:title': 'api.skycast.dev: Safe to pay 95',
    'og:image': 'https://touchstone.example/cards/services/api.skycast.dev.png',
    'og:image:width': '1200',
    'og:image:height': '630',
    'twitter:card': 'summary_large_image',
  })
  const others = await tagsOf('/methodology')
  expect([others['og:image'], others['twitter:card']]).toEqual([undefined, 'summary'])
})

test('error: answers 404 for cards of what is not there', async () => {
  const origin = await openPages(samplesOf('api.skycast.dev'))
  const absent = ['/services/nobody.example', '/incidents/inc_0', '/incidents/..%2Fx', '/scans/x']
  for (const path of absent) expect((await openCard(origin, path)).answer.status, path).toBe(404)
  for (const path of ['/cards/services/api.skycast.dev.svg', '/cards/pages/x.png'])
    expect((await fetch(origin + path)).status, path).toBe(404)
})

describe('hostile texts', () => {
  const HOSTILE = [
    '</text><image href="http://127.0.0.1:9/x.png"/><text>',
    '<!ENTITY x SYSTEM "file:///etc/passwd">&x;&#0;',
    '\u202eevil\u0000\ud800\uffff\u{10ffff}\u0301\u0301\u0301\u0301',
    '日本語 العربية 🎉 ﷽',
    `${'a'.repeat(63)}.`.repeat(4),
    'W'.repeat(5000),
    '',
  ]

  test('behavior: are escaped, shortened and drawn without loading anything', async () => {
    const renderer = createRenderer()
    for (const text of HOSTILE) {
      const svg = drawCard({ ...CARD, subject: text, headline: text, sentences: [text, text] }, text)
      expect(svg).not.toMatch(/<image|<!ENTITY|&x;/)
      expect(svg.match(/href="(?!#)/)).toBeNull()
      expect(svg.length, text.slice(0, 20)).toBeLessThan(9_000)
      const png = Buffer.from(await renderer.render(svg))
      expect(png.readUInt32BE(20)).toBe(630)
    }
  })

  test('behavior: characters without a glyph are drawn as question marks', () => {
    expect(drawCard({ ...CARD, headline: 'Żółć — при 日本' }, 'x')).toContain('>Żółć — при ??<')
  })
})

test('behavior: no line of a text is wider than its room', async () => {
  const { Resvg } = createRequire(import.meta.url)('@resvg/resvg-js') as typeof import('@resvg/resvg-js')
  const texts = [
    'The receiver of this service changed twice without an announcement',
    'WMWM%@#mmmm'.repeat(9),
    'GOOQDNHU'.repeat(20),
  ]
  for (const text of texts) {
    const { lines, size } = fitText(text, {
      width: 788,
      sizes: [
        [64, 2],
        [42, 4],
      ],
    })
    for (const line of lines) {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="100"><text y="70" font-family="Manrope" font-weight="800" font-size="${size}">${line}</text></svg>`
      const font = {
        loadSystemFonts: false,
        fontDirs: [],
        fontFiles: [
          createRequire(import.meta.url).resolve(
            '@expo-google-fonts/manrope/800ExtraBold/Manrope_800ExtraBold.ttf',
          ),
        ],
      }
      expect(new Resvg(svg, { font }).getBBox()?.width, line).toBeLessThanOrEqual(788)
    }
  }
})

describe('createRenderer', () => {
  test('behavior: equal cards are drawn once, and kept', async () => {
    const { render, peek } = createRenderer()
    const svg = drawCard(CARD, 'x')
    expect(peek(svg)).toBeUndefined()
    const [first, second] = await Promise.all([render(svg), render(svg)])
    expect(second).toBe(first)
    expect(peek(svg)).toBe(first)
  })

  test('behavior: keeps a bounded number of cards, and refuses when too many wait', async () => {
    const { render, peek } = createRenderer()
    const tiny = (index: number) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="${index + 1}"/>`
    for (let index = 0; index < 257; index++) await render(tiny(index))
    expect([0, 1, 256].map((index) => peek(tiny(index)) !== undefined)).toEqual([false, true, true])
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => render(tiny(300 + index))),
    )
    const refused = results.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(8)
    expect(refused[0]).toMatchObject({ reason: { refusal: { status: 503 } } })
  })

  test('error: a drawing that fails does not stop the next', async () => {
    const { render } = createRenderer()
    await expect(render('<svg')).rejects.toThrow()
    expect((await render(drawCard(CARD, 'x'))).length).toBeGreaterThan(1000)
  })
})
