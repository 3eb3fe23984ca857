import { expect, test } from 'vitest'
import { HTML, openPages } from '../testing/openPages.ts'
import { RECORDED_WINDOW } from './tokensPage.tsx'

const read = async (path = '/tokens', prices = {}) =>
  (await fetch((await openPages([], { prices })) + path, HTML)).text()
const textOf = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

test('default: each plot is titled by its finding, with its price and the way to it', async () => {
  const html = await read('/tokens', { flow: '0.07' })
  const { pulse, whales, flow, momentum } = RECORDED_WINDOW
  const heads = [...html.matchAll(/<h2 id="(pulse|whales|flow|momentum)">(.*?)<\/h2>/g)].map(
    ([, id, title]) => [id, title],
  )
  const share = Math.round((100 * Number(whales.matchedVolume.amount)) / Number(pulse.volume.amount))
  const lost = Math.abs(Number(flow.topDistributors[0]?.net.amount))
  expect(heads).toEqual([
    ['pulse', expect.stringMatching(`^${pulse.transfers} transfers, busiest around \\d\\d:\\d\\d UTC$`)],
    ['whales', `${whales.matched} transfers moved ${share}% of the volume`],
    [
      'flow',
      `One address accounts for ${Math.round((100 * lost) / Number(flow.totals.distributed.amount))}% of all that was given up`,
    ],
    [
      'momentum',
      expect.stringMatching(`^Transfers \\+[\\d.]+%, volume −[\\d.]+%: ${momentum.direction.word}$`),
    ],
  ])
  expect(html).toContain('$0.07 per call')
  for (const id of ['pulse', 'whales', 'flow', 'momentum']) {
    expect(html).toContain(`href="/docs#${id}"`)
    expect(html).toContain(`href="/${id}?token=${pulse.token.address}"`)
  }
  expect(html.length).toBeLessThan(60_000)
})

test('behavior: the bars are the parts of the series, and the rows say what bars show', async () => {
  const html = await read()
  const { pulse, flow } = RECORDED_WINDOW
  const [, first = ''] = html.split('aria-label="Transfers per hour')
  const bars = [...(first.split('</svg>')[0] ?? '').matchAll(/<title>\d\d:\d\d: (\d+)<\/title>/g)].map(
    ([, count]) => Number(count),
  )
  expect(bars).toEqual(pulse.series.map(({ transfers }) => transfers).filter((count) => count > 0))
  const [largest] = flow.topDistributors
  expect(html).toContain(largest?.address)
  expect(textOf(html)).toContain(`−${Math.round(-Number(largest?.net.amount)).toLocaleString('en-US')}`)
  expect(textOf(html)).toContain('about made-up transfers')
})
