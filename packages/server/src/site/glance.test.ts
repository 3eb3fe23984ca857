import { expect, test } from 'vitest'
import { HTML, openPages } from './testing/openPages.ts'

const textOf = (html: string) => html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')

test('behavior: a host that declines probes is said to do so on its page and badge', async () => {
  const host = 'quiet.example'
  const origin = await openPages([
    { host, paths: ['/a'], days: 9, priceMicro: 1000, optsOut: true, outcome: () => 'not_measured' },
  ])
  const profile = textOf(await (await fetch(`${origin}/services/${host}`, HTML)).text())
  expect(profile).toContain('This host declines probes, so nothing is measured. Unknown is not safe.')
  expect(profile).not.toMatch(/No measurement yet|Risk level\s*clean/)
  const badge = await (await fetch(`${origin}/badge/${host}.json`)).json()
  expect(badge).toMatchObject({ message: 'declines probes', color: '#5f6775' })
})
