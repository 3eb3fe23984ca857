import { expect, test } from 'vitest'
import { CONTRACT_PRICES } from '../config/priceSettings.ts'
import { HTML, openPages } from './testing/openPages.ts'

const textOf = (html: string) => html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')

test('default: names who runs the instance and how to reach them, escaped; the foot of every page leads there', async () => {
  const operator = { name: 'Trust & <b>Sons</b>', contact: 'mailto:ops@trust.example' }
  const origin = await openPages([], { config: { operator } })
  const html = await (await fetch(`${origin}/about`, HTML)).text()
  expect(html).toContain('Trust &amp; &lt;b>Sons&lt;/b> runs the service at touchstone.example.')
  expect(html).toContain('<a href="mailto:ops@trust.example">ops@trust.example</a>')
  const security = await (await fetch(`${origin}/.well-known/security.txt`)).text()
  expect(security).toMatch(/^Contact: mailto:ops@trust\.example\n/)
  for (const path of ['/', '/feed', '/reports', '/methodology', '/docs', '/log', '/about', '/absent']) {
    const page = await (await fetch(origin + path, HTML)).text()
    const [foot = ''] = /<footer.*<\/footer>/s.exec(page) ?? []
    expect([path, foot]).toEqual([path, expect.stringContaining('<a href="/about">About</a>')])
    expect([path, foot]).toEqual([path, expect.stringContaining('Run by Trust &amp; &lt;b>Sons&lt;/b> · ')])
  }
})

test('behavior: says from when a verdict can be recomputed, and leads to the command', async () => {
  const origin = await openPages([])
  const html = await (await fetch(`${origin}/about`, HTML)).text()
  expect(textOf(html)).toContain('From the second day after its last probe you can recompute a verdict')
  expect(html).toContain('href="/log#recompute"')
})

test('behavior: states the running prices, and that the guard is not on npm yet', async () => {
  const origin = await openPages([], {
    config: { prices: { ...CONTRACT_PRICES, pulse: '0.0015', dataFull: '3' } },
  })
  const text = textOf(await (await fetch(`${origin}/about`, HTML)).text())
  expect(text).toContain('from $0.0015 to $3.00 each')
  expect(text).toContain('it is not on npm yet')
})
