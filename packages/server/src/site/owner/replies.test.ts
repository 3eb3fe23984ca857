import { ReplySchema } from '@touchstone402/shared'
import { digestOf } from '@touchstone402/shared/leaves'
import { expect, test } from 'vitest'
import { DAY } from '../../facts/times.ts'
import { checkDueClaims } from '../../owners/hostClaims.ts'
import { listReplies, readReplies, takeDownReply } from '../../owners/replies.ts'
import { MAX_REPLY_CHARACTERS } from '../../owners/replyText.ts'
import { readDocument } from '../../store/documents.ts'
import { readLeaves, readLogSize } from '../../store/log.ts'
import { openClaimed } from '../testing/openClaimed.ts'
import { faultOf, openOwned } from '../testing/openOwned.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'

const TEXT = 'We moved to a new treasury on 27 November; the old key is lost.'

/** Reads every place that speaks of a host, but its profile and, since each visit gets another secret, its owner page. */
async function readElsewhere({ origin, host, endpoint, incident }: Awaited<ReturnType<typeof openOwned>>) {
  const html = { headers: { accept: 'text/html' } }
  const places: readonly (readonly [string, RequestInit?])[] = [
    [`/verify?endpoint=${encodeURIComponent(endpoint)}`],
    [`/services/${host}.json`],
    [`/services/${host}/feed.rss`],
    [`/findings?endpoint=${encodeURIComponent(endpoint)}`],
    [`/incidents/${incident}`, html],
    [`/incidents/${incident}.json`],
    ['/', html],
    ['/feed', html],
    ['/incidents.rss'],
    ['/changes.rss'],
    ['/llms.txt'],
    ['/sitemap.xml'],
    [`/badge/${encodeURIComponent(host)}.svg`],
    [`/badge/${encodeURIComponent(host)}.json`],
    [`/cards/services/${encodeURIComponent(host)}.png`],
    [`/cards/incidents/${incident}.png`],
    ['/incidents.json'],
    ['/changes.json'],
    ['/status.json'],
    ['/data.json'],
  ]
  return Promise.all(
    places.map(async ([place, init]) => {
      const answer = await fetch(origin + place, init)
      const body = Buffer.from(await answer.arrayBuffer()).toString('latin1')
      return { place, status: answer.status, body }
    }),
  )
}

test('default: a reply is on the HTML profile at once, marked as the owner’s, and nowhere else', async () => {
  const opened = await openOwned()
  const { host, secret, incident, endpoint, post, page, path, ctx } = opened
  const before = await readElsewhere(opened)
  expect(before.filter(({ status, body }) => status !== 200 || body === '')).toEqual([])
  const sent = await post('replies', { secret, about: incident, text: ` ${TEXT}\r\n` })
  const answer = await sent.json()
  expect([sent.status, ReplySchema.parse(answer)]).toEqual([200, answer])
  expect(answer).toMatchObject({ host, about: incident, state: 'shown', at: '2026-11-21T10:42:00.000Z' })
  for (const about of [host, endpoint])
    expect((await post('replies', { secret, about, text: 'So it was.' })).status).toBe(200)
  expect((await readReplies(ctx, host)).map((one) => one.endpoint ?? one.incident)).toEqual(
    expect.arrayContaining([incident, null, endpoint]),
  )
  const profile = await page(`/services/${host}`)
  expect(profile).toMatch(
    new RegExp(`${TEXT}.*The owner of the host says \\(verified by a file, .*2026-11-21</time>\\)`, 's'),
  )
  expect(await readElsewhere(opened)).toEqual(before)
  for (const form of [path, `${path}.json`]) expect(await page(form)).not.toMatch(/new treasury|So it was/)
})

test('default: the log holds a salted hash of the text, which the answer opens, and neither text nor salt', async () => {
  const { host, secret, endpoint, post, store } = await openOwned()
  const { commitment } = await (await post('replies', { secret, about: endpoint, text: TEXT })).json()
  expect(commitment.sha256).toBe(digestOf(`${commitment.salt}\n${TEXT}`))
  await post('replies', { secret, about: endpoint, text: '' })
  await store.write('sequenceLeaves', 10)
  const entries = await readLeaves(store, 0, await readLogSize(store))
  expect(entries.map(({ leaf }) => JSON.parse(leaf))).toMatchObject([
    { kind: 'reply', status: 'posted' },
    { kind: 'reply', status: 'withdrawn' },
  ])
  expect(JSON.parse(`${entries[0]?.opening}`)).toMatchObject({ host, endpoint, text: commitment.sha256 })
  expect(entries.map(({ leaf }) => leaf).join()).not.toContain(host)
  expect(JSON.stringify(entries)).not.toContain('treasury')
})

test('behavior: another reply about the same replaces it; an empty text or the button withdraws it', async () => {
  const { host, secret, endpoint, post, page } = await openOwned()
  const send = (fields: Record<string, string>) => post('replies', { secret, about: endpoint, ...fields })
  const profile = () => page(`/services/${host}`)
  await send({ text: 'The first words.' })
  await send({ text: 'The second words.' })
  expect(await profile()).toMatch(/^(?!.*first words).*second words/s)
  expect(await (await send({ text: '' })).json()).toMatchObject({ state: 'withdrawn', commitment: null })
  expect(await profile()).not.toContain('words')
  expect(await faultOf(await send({ text: '' }))).toEqual([400, 'text', 'missing'])
  await send({ text: 'The third words.' })
  expect(await profile()).toContain('third words')
  await send({ text: 'Not these words.', method: 'remove' })
  expect(await profile()).not.toContain('words')
})

test('behavior: a reply ends with the claim, and a later claim does not bring it back', async () => {
  const { host, secret, post, page, publish, conduct, ctx, reader, claim, read } = await openOwned()
  const { file } = await read()
  const line = (await post('claims', { method: 'held', secret })).json()
  await post('replies', { secret, about: host, text: TEXT })
  expect(await page(`/services/${host}`)).toContain('new treasury')
  publish('gone')
  for (let days = 0; days < 3; days++) {
    expect(await page(`/services/${host}`)).toContain('new treasury')
    conduct.now += DAY
    await checkDueClaims(ctx, reader, AbortSignal.timeout(10_000))
  }
  expect(await page(`/services/${host}`)).not.toContain('new treasury')
  publish((await line).token)
  expect((await claim({ method: 'file', secret })).status).toBe(200)
  expect(await page(`/services/${host}`)).toMatch(/^(?!.*new treasury).*Claimed since/s)
  // Nor does another claimant inherit it.
  await post('replies', { secret, about: host, text: TEXT })
  publish(file.line)
  const other = await read()
  publish(other.file.line)
  expect((await claim({ method: 'file', secret: other.secret })).status).toBe(200)
  expect(await page(`/services/${host}`)).not.toContain('new treasury')
})

test('behavior: a claim by DNS is named before one by a file', async () => {
  const { host, post, claim, read, records, publish, page } = await openClaimed()
  const { secret, file, dns } = await read()
  publish(file.line)
  records.set(dns.name, [[dns.value]])
  for (const method of ['file', 'dns']) expect((await claim({ method, secret })).status).toBe(200)
  await post('replies', { secret, about: host, text: TEXT })
  expect(await page(`/services/${host}`)).toContain('(verified by DNS, ')
})

test('behavior: what the operator takes down is deleted; the reason is public and binds for 90 days', async () => {
  const { host, secret, post, page, ctx, store, conduct } = await openOwned()
  const { id } = await (await post('replies', { secret, about: host, text: 'Call J. Doe.' })).json()
  expect(await listReplies(ctx)).toMatchObject([{ id, text: 'Call J. Doe.' }])
  expect(await takeDownReply(ctx, `${id}x`, 'It names a person.')).toBeUndefined()
  await takeDownReply(ctx, id, 'It names a <b>person</b>.')
  const profile = await page(`/services/${host}`)
  expect(profile).toMatch(
    /took down the reply of the owner on .*2026-11-21.*It names a &lt;b>person&lt;\/b>\./s,
  )
  expect(profile).not.toContain('J. Doe')
  expect(await listReplies(ctx)).toEqual([])
  const kept = await readDocument(store, 'reply', id, SAMPLE_NOW)
  expect(JSON.stringify(kept)).not.toContain('J. Doe')
  await store.write('sequenceLeaves', 10)
  const [, leaf] = await readLeaves(store, 0, 2)
  expect(JSON.parse(`${leaf?.leaf}`)).toMatchObject({ kind: 'reply', status: 'taken_down' })

  const again = await post('replies', { secret, about: host, text: TEXT })
  expect([again.status, (await again.json()).detail]).toEqual([
    409,
    expect.stringMatching(/on 2026-11-21: It names .* from 2027-02-19\.$/),
  ])
  expect(await faultOf(await post('replies', { secret, about: host, text: '' }))).toContain('missing')
  conduct.now += 90 * DAY
  expect(await page(`/services/${host}`)).not.toContain('took down')
})

test('error: a reply is about something of its host, has 500 characters, and refuses what it names', async () => {
  const { secret, endpoint, post, ctx, host } = await openOwned()
  const send = (fields: Record<string, string>) => post('replies', { secret, about: endpoint, ...fields })
  for (const about of ['', 'https://other.example/', 'other.example', 'inc_none'])
    expect(await faultOf(await send({ about, text: TEXT }))).toEqual([400, 'about', 'unknown'])
  const long = 'é'.repeat(MAX_REPLY_CHARACTERS + 1)
  expect(await faultOf(await send({ text: long }))).toEqual([400, 'text', 'too_long'])
  expect((await send({ text: long.slice(1) })).status).toBe(200)
  const refused = await (await send({ text: 'Pay us at vitalik.eth instead.' })).json()
  expect(refused.errors).toEqual([
    {
      parameter: 'text',
      code: 'domain',
      message: 'text: found "vitalik.eth", which reads as a domain or a wallet name: leave it out',
    },
  ])
  expect(await readReplies(ctx, host)).toMatchObject([{ text: long.slice(1) }])
})
