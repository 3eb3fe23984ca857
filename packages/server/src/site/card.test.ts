import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { HTML, openPages, samplesOf } from './testing/openPages.ts'

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

test('default: a card is a PNG of the size of a preview, in the colour of the verdict, with an ETag', async () => {
  const origin = await openPages()
  const { answer, png } = await openCard(origin, '/services/llm.quickinfer.net')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630])
  expect(firstPixel(png)).toEqual([0xa5, 0x1d, 0x18])
  expect(firstPixel((await openCard(origin, '/services/api.skycast.dev')).png)).toEqual([0x0a, 0x6b, 0x42])
  const etag = answer.headers.get('etag') ?? ''
  const again = await fetch(answer.url, { headers: { 'If-None-Match': etag } })
  expect([etag === '', again.status]).toEqual([false, 304])
})

test('behavior: incidents have cards, and a page with a card names it for previews', async () => {
  const origin = await openPages(samplesOf('llm.quickinfer.net'))
  const feed = await (await fetch(`${origin}/incidents.rss`)).text()
  const [, id] = /<guid isPermaLink="false">([^<]+)/.exec(feed) ?? []
  expect((await openCard(origin, `/incidents/${id}`)).answer.status).toBe(200)
  const page = await (await fetch(`${origin}/services/llm.quickinfer.net`, HTML)).text()
  expect(page).toContain('content="https://touchstone.example/cards/services/llm.quickinfer.net.png"')
  expect(page).toContain('content="summary_large_image"')
})

test('error: answers 404 for cards of what is not there', async () => {
  const origin = await openPages(samplesOf('api.skycast.dev'))
  for (const path of ['/services/nobody.example', '/incidents/inc_0', '/incidents/..%2Fx', '/scans/x'])
    expect((await openCard(origin, path)).answer.status, path).toBe(404)
})

test('behavior: the text of a seller is bounded and loads nothing', async () => {
  const evil = `"><image href="http://127.0.0.1:9/x.png"/>\u202e日本語 🎉 ﷽ ${'W'.repeat(5000)}`
  const samples = samplesOf('llm.quickinfer.net').map((one) => ({ ...one, directories: [evil] }))
  const { answer, png } = await openCard(await openPages(samples), '/services/llm.quickinfer.net')
  expect([answer.status, png.readUInt32BE(16)]).toEqual([200, 1200])
})

test('behavior: a client that asks for many different cards must wait; cards that are kept are free', async () => {
  const many = Array.from({ length: 31 }, (_, index) => ({
    ...samplesOf('prices.oraclefeed.xyz')[0],
    host: `h${index}.example`,
  }))
  const origin = await openPages(many as ReturnType<typeof samplesOf>)
  const statusOf = async (index: number) =>
    (await openCard(origin, `/services/h${index}.example`)).answer.status
  for (let index = 0; index < 30; index++) expect(await statusOf(index)).toBe(200)
  expect([await statusOf(30), await statusOf(0)]).toEqual([429, 200])
})
