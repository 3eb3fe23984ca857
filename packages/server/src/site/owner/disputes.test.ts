import { DisputeSchema, OwnerSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { DAY, MINUTE } from '../../facts/times.ts'
import { decideDispute, readDisputes } from '../../owners/disputes.ts'
import { readIncident } from '../../store/feeds.ts'
import { readHost } from '../../store/hosts.ts'
import { readLeaves, readLogSize } from '../../store/log.ts'
import { faultOf, openOwned } from '../testing/openOwned.ts'
import { HTML } from '../testing/openPages.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'

/** Returns the id of the first dispute of a host. */
const firstOf = async (...asked: Parameters<typeof readDisputes>) =>
  `${(await readDisputes(...asked))[0]?.id}`

test('default: that a dispute is open is public at once with its dates, and its text once it is answered', async () => {
  const { origin, host, secret, incident, post, page, ctx, store, path } = await openOwned()
  const verdict = async () => [await readHost(store, host), await readIncident(store, incident)]
  const before = await verdict()
  const sent = await post('disputes', { secret, about: incident, text: 'We moved <b>our</b> wallet.' })
  const opened = await sent.json()
  expect(DisputeSchema.parse(opened)).toEqual(opened)
  expect([sent.status, opened]).toEqual([
    202,
    {
      id: expect.stringMatching(/^shop\.test:\d+\/[\w-]{12}$/),
      host,
      state: 'open',
      since: '2026-11-21T10:42:00.000Z',
      promisedBy: '2026-11-28T10:42:00.000Z',
    },
  ])
  const places = [`/incidents/${incident}`, `/services/${host}`, path]
  for (const place of places) {
    const shown = await page(place)
    expect(shown).toMatch(/dispute open since .*2026-11-21.*, answer promised by .*2026-11-28/)
    expect(shown).not.toContain('We moved')
  }
  const owner = await (await fetch(`${origin}${path}.json`)).json()
  expect(OwnerSchema.parse(owner)).toEqual(owner)
  const { since, promisedBy } = opened
  const described = { id: opened.id, about: incident, state: 'open', since, promisedBy, decidedAt: null }
  expect(owner.disputes).toEqual([described])

  await decideDispute(ctx, opened.id, 'answered', 'The chain shows another key.')
  for (const place of places.slice(0, 2)) {
    const shown = await page(place)
    expect(shown).toContain('We moved &lt;b>our&lt;/b> wallet.')
    expect(shown).toMatch(/dispute of .*2026-11-21.*, answered .*2026-11-21/)
    expect(shown).toMatch(/Our answer:.*The chain shows another key\./)
  }
  expect(await verdict()).toEqual(before)
})

test('behavior: the log says once that an incident is disputed, at once and without the text', async () => {
  const { secret, incident, post, store } = await openOwned()
  for (const text of ['We moved our wallet.', 'We did.'])
    expect((await post('disputes', { secret, about: incident, text })).status).toBe(202)
  await store.write('sequenceLeaves', 10)
  const entries = await readLeaves(store, 0, await readLogSize(store))
  expect(entries.map(({ leaf }) => JSON.parse(leaf))).toMatchObject([
    { kind: 'incident', status: 'disputed' },
  ])
  expect(JSON.stringify(entries)).not.toContain('We ')
})

test.each([
  ['upheld', 'Our answer:', true],
  ['rejected', 'Our reason:', false],
] as const)(
  'behavior: a dispute that is %s is shown with its date, "%s" and, if %s, its text',
  async (state, label, isShown) => {
    const { host, secret, endpoint, post, page, ctx, conduct } = await openOwned()
    await post('disputes', { secret, about: endpoint, text: 'It names J. Doe.' })
    conduct.now += 2 * DAY
    await decideDispute(ctx, await firstOf(ctx, host), state, 'We looked again.')
    const shown = await page(`/services/${host}`)
    expect(shown).toMatch(new RegExp(`dispute of .*2026-11-21.*, ${state} .*2026-11-23`))
    expect(shown).toMatch(new RegExp(`${label}.*We looked again\\.`))
    expect(shown.includes('J. Doe')).toBe(isShown)
  },
)

test('default: /about counts overdue disputes beside the promise, none included', async () => {
  const { host, secret, endpoint, post, page, ctx, conduct } = await openOwned()
  const about = async () => (await page('/about')).replace(/\s+/g, ' ')
  const promise = 'overdue; answers are promised within 7 days'
  expect(await about()).toContain(`0 disputes are ${promise}`)
  for (const text of ['One.', 'Two.']) await post('disputes', { secret, about: endpoint, text })
  conduct.now = SAMPLE_NOW + 7 * DAY
  expect(await about()).toContain(`0 disputes are ${promise}`)
  conduct.now += 1
  expect(await page(`/services/${host}`)).toMatch(/promised by .*2026-11-28.*, overdue/)
  // Counting reads the disputes of all hosts, so it rests for a minute.
  expect(await about()).toContain(`0 disputes are ${promise}`)
  conduct.now += MINUTE
  expect(await about()).toContain(`2 disputes are ${promise}`)
  await decideDispute(ctx, await firstOf(ctx, host), 'rejected', 'No.')
  conduct.now += MINUTE
  expect(await about()).toContain(`1 dispute is ${promise}`)
})

test('error: names the field of a dispute at fault, and takes five at a time', async () => {
  const { secret, endpoint, post, ctx, host } = await openOwned()
  const send = (fields: Record<string, string>) => post('disputes', { secret, text: 'No.', ...fields })
  const fault = async (fields: Record<string, string>) => (await faultOf(await send(fields))).join(' ')
  const about = endpoint
  expect(await fault({ about, text: ' \u202e\u0000 ' })).toBe('400 text missing')
  expect(await fault({ about, text: 'x'.repeat(1001) })).toBe('400 text too_long')
  for (const wrong of ['', 'https://other.example/', 'inc_\u0000', 'inc_none', host])
    expect(await fault({ about: wrong })).toBe('400 about unknown')
  const statuses: number[] = []
  for (let count = 0; count < 6; count++) statuses.push((await send({ about })).status)
  expect(statuses).toEqual([202, 202, 202, 202, 202, 429])
  const page = await post('disputes', { secret, about, text: 'My long text.' }, HTML.headers)
  expect([page.status, page.headers.get('retry-after')]).toEqual([429, '86400'])
  expect(await page.text()).toMatch(/My long text\.[\s\S]*class="fault" role="alert">Several disputes/)
  await decideDispute(ctx, await firstOf(ctx, host), 'answered', 'Yes.')
  expect((await send({ about })).status).toBe(202)
})
