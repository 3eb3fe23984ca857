import { expect, test } from 'vitest'
import { createDisputeDesk } from '../../../claims/createDisputes.ts'
import { openClaimed, receiver } from '../../testing/openClaimed.ts'
import { HTML } from '../../testing/openPages.ts'

const SALT = Buffer.alloc(16, 7).toString('base64')
const ANSWER = 'Measured again on 22 November.'

/** A claimed host with a disputed endpoint and a disputable incident. */
async function open() {
  const opened = await openClaimed()
  const { host, read, publish, claim, post, store, clock } = opened
  const { secret, token } = await read()
  publish(token)
  await claim({ method: 'file', secret })
  const [endpoint] = (await store.host(host))?.endpoints ?? []
  const [incident] = (await store.incidents({ since: 0, limit: 1, host })).records
  if (endpoint === undefined || incident === undefined) throw new Error('the sample has no incident')
  const dispute = (fields: Record<string, string>, headers = {}) =>
    post('/disputes', { secret, ...fields }, headers)
  const desk = createDisputeDesk({ documents: store.expiring, store, clock, newSalt: () => SALT })
  return { ...opened, secret, endpoint: endpoint.endpoint, incident: incident.id, dispute, desk }
}

test('default: a dispute of an incident is shown with its answer once it is published, on pages alone', async () => {
  const { origin, host, incident, dispute, desk, page, store, conduct } = await open()
  const places = [`/services/${host}`, `/incidents/${incident}`]
  const answer = await dispute({ incident, text: 'We moved\nour <b>wallet</b>\u202e in May.' })
  expect([answer.status, await answer.json()]).toEqual([202, { id: `${host}/d1`, host, state: 'waiting' }])
  for (const place of places) expect(await page(place)).not.toContain('We moved')
  expect(await desk.waiting()).toMatchObject([
    { id: `${host}/d1`, text: 'We moved our <b>wallet</b> in May.' },
  ])

  conduct.now += 60_000
  expect(await desk.publish(`${host}/d1`, ANSWER)).toMatchObject({ state: 'published', incident })
  for (const place of places) {
    const shown = await page(place)
    expect(shown).toContain('We moved our &lt;b>wallet&lt;/b> in May.')
    expect(shown).toContain(ANSWER)
    const json = await (await fetch(`${origin}${place}.json`)).text()
    expect(json).not.toMatch(/We moved|disput|Measured again/)
  }
  expect(await page(places[1] ?? '')).toContain('<dt>disputed</dt>')
  for (const feed of ['/incidents.rss', `/services/${host}/feed.rss`])
    expect(await (await fetch(origin + feed)).text()).not.toContain('We moved')
  expect(await desk.waiting()).toEqual([])

  await desk.publish(`${host}/d1`, 'Another answer.')
  expect(await store.log.countWaiting()).toBe(1)
  await store.log.sequence(1)
  const [leaf] = await store.log.entries(0, 1)
  expect(JSON.parse(leaf?.leaf ?? '')).toMatchObject({ kind: 'incident', status: 'disputed' })
  expect(JSON.parse(leaf?.opening ?? '')).toMatchObject({ id: incident, host })
  expect(JSON.stringify(leaf)).not.toMatch(/We moved|answer/)
})

test('default: a dispute of an endpoint is shown on the profile, and logs nothing', async () => {
  const { host, endpoint, incident, dispute, desk, page, store } = await open()
  expect((await dispute({ endpoint, text: 'Our CDN was down, not we.' })).status).toBe(202)
  await desk.publish(`${host}/d1`, ANSWER)
  expect(await page(`/services/${host}`)).toContain('Our CDN was down')
  expect(await page(`/incidents/${incident}`)).not.toContain('Our CDN was down')
  expect(await store.log.countWaiting()).toBe(0)
})

test('behavior: a rejected dispute is shown nowhere, also after it was published', async () => {
  const { host, endpoint, dispute, desk, page } = await open()
  await dispute({ endpoint, text: 'We disagree.' })
  await desk.publish(`${host}/d1`, ANSWER)
  await desk.reject(`${host}/d1`)
  expect(await page(`/services/${host}`)).not.toContain('We disagree')
  expect(await desk.waiting()).toEqual([])
  expect([await desk.publish('nobody/d1', ANSWER), await desk.reject('nobody/d1')]).toEqual([
    undefined,
    undefined,
  ])
})

test('behavior: a dispute changes neither the verdict nor the incident', async () => {
  const { origin, host, incident, dispute, desk, store } = await open()
  const read = async () => [
    await (await fetch(`${origin}/services/${host}.json`)).json(),
    await store.host(host),
    await store.incident(incident),
  ]
  const before = await read()
  await dispute({ incident, text: 'We disagree.' })
  await desk.publish(`${host}/d1`, ANSWER)
  expect(await read()).toEqual(before)
})

test('rule 10: a receiver that signed disputes its own endpoints, not those of others at the host', async () => {
  const { host, endpoint, read, claim, post, store } = await open()
  const { secret, signature } = await read()
  const signed = await receiver.signMessage({ message: signature.text })
  const proof = { address: receiver.address, date: signature.date, signature: signed }
  expect((await claim({ method: 'signature', secret, ...proof })).status).toBe(200)
  const state = (await store.endpoint(endpoint))?.state
  if (state === undefined) throw new Error('the sample has an endpoint')
  const other = `${endpoint}-of-another`
  const foreign = { payTo: `0x${'9'.repeat(40)}`, terms: [], payToHistory: [] }
  await store.putEndpoint({ ...state, ...foreign, endpoint: other })
  const dispute = (about: string) => post('/disputes', { host, secret, endpoint: about, text: 'No.' })
  expect((await dispute(endpoint)).status).toBe(202)
  const refused = await dispute(other)
  expect([refused.status, (await refused.json()).errors]).toMatchObject([
    400,
    [{ parameter: 'endpoint', code: 'not_claimed' }],
  ])
})

test('error: names the field at fault', async () => {
  const { origin, host, endpoint, incident, dispute, post, desk } = await open()
  const faultOf = async (answer: Response) => {
    const { status, errors } = await answer.json()
    return [
      status,
      ...errors.map((error: { parameter: string; code: string }) => `${error.parameter} ${error.code}`),
    ]
  }
  const fault = async (fields: Record<string, string>) =>
    faultOf(await dispute({ endpoint, text: 'We disagree.', ...fields }))
  expect(await fault({ secret: 'A'.repeat(43) })).toEqual([400, 'secret not_held'])
  expect(await fault({ secret: '' })).toEqual([400, 'secret missing'])
  expect(await fault({ text: ' \u202e\u0000 ' })).toEqual([400, 'text missing'])
  expect(await fault({ text: 'x'.repeat(1001) })).toEqual([400, 'text too_long'])
  expect(await fault({ incident })).toEqual([400, 'endpoint ambiguous'])
  expect(await fault({ endpoint: '' })).toEqual([400, 'endpoint ambiguous'])
  expect(await fault({ endpoint: 'https://other.example/' })).toEqual([400, 'endpoint unknown'])
  expect(await fault({ endpoint: '', incident: 'inc_none' })).toEqual([400, 'incident unknown'])
  expect((await post('/disputes', { host: 'never.example' })).status).toBe(404)
  expect(await desk.waiting()).toEqual([])

  for (const [fields, message] of [
    [{ secret: '' }, 'Enter the secret of your claim.'],
    [{ text: '' }, 'Enter the text.'],
  ] as const) {
    const page = await (await dispute({ endpoint, text: 'No.', ...fields }, HTML.headers)).text()
    expect(page).toContain(`>${message}</p>`)
  }
  const again = await dispute({ endpoint, text: '</textarea><b>x', secret: 'no' }, HTML.headers)
  expect(again.status).toBe(400)
  const shown = await again.text()
  expect(shown).toMatch(/class="fault"[^>]*>no claim of/)
  expect(shown).not.toContain('</textarea><b>')
  expect(await (await fetch(`${origin}/disputes?host=${host}&incident=${incident}`, HTML)).text()).toContain(
    `value="${incident}"`,
  )
})

test('error: at most five disputes of a host wait', async () => {
  const { endpoint, dispute, desk, host } = await open()
  const statuses: number[] = []
  for (let count = 0; count < 6; count++)
    statuses.push((await dispute({ endpoint, text: `No. ${count}` })).status)
  expect(statuses).toEqual([202, 202, 202, 202, 202, 429])
  await desk.reject(`${host}/d1`)
  expect((await dispute({ endpoint, text: 'Once more.' }, HTML.headers)).status).toBe(202)
})
