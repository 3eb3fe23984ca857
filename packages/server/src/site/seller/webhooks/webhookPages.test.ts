import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../../domain/facts/times.ts'
import { createWebhooks } from '../../../notices/createWebhooks.ts'
import { createMemoryStore } from '../../../store/testing/createMemoryStore.ts'
import { HTML, openPages, samplesOf } from '../../testing/openPages.ts'
import { SAMPLE_NOW } from '../../testing/sampleServices.ts'
import { dateOf, ownerText } from './ownerText.ts'

const HOST = 'api.skycast.dev'
const URL_OF_HOOK = 'https://hooks.example/in?token=a'
const SERVICE = 'https://touchstone.example'
const owner = privateKeyToAccount(`0x${'1'.repeat(64)}`)
const stranger = privateKeyToAccount(`0x${'2'.repeat(64)}`)

/** Serves the pages over a host that is paid at the owner's address. */
async function open() {
  let ids = 0
  const webhooks = createWebhooks({
    documents: createMemoryStore().expiring,
    clock: { now: () => SAMPLE_NOW },
    newSecret: () => new Uint8Array(32).fill(++ids),
    newId: () => `wh_${++ids}`,
    allowPrivate: ['dev.test:4021'],
  })
  const samples = samplesOf(HOST).map((sample) => ({ ...sample, payTo: owner.address }))
  const origin = await openPages(samples, { webhooks })
  const read = async (url = URL_OF_HOOK, host = HOST) =>
    (await fetch(`${origin}/webhooks?${new URLSearchParams({ host, url })}`)).json()
  const post = (fields: Record<string, string>, path = '/webhooks', headers = {}) =>
    fetch(origin + path, {
      method: 'POST',
      body: JSON.stringify(fields),
      headers: { 'Content-Type': 'application/json', ...headers },
      redirect: 'manual',
    })
  /** Fields as the owner sends them. */
  const signed = async (changes: Record<string, string> = {}) => {
    const terms = { host: HOST, url: URL_OF_HOOK, date: dateOf(SAMPLE_NOW), ...changes }
    const signature = await owner.signMessage({ message: ownerText({ service: SERVICE, ...terms }) })
    return { ...terms, address: owner.address, signature, ...changes }
  }
  const refusalOf = async (fields: Record<string, string>) => {
    const { status, code, errors } = await (await post(fields)).json()
    return [status, code, errors?.[0]?.parameter, errors?.[0]?.code]
  }
  return { origin, webhooks, read, post, signed, refusalOf }
}

test('default: a receiver of the host signs the shown text, and gets a secret once', async () => {
  const { origin, webhooks, read, post, signed } = await open()
  const { text, host, url, date, receivers } = await read()
  expect(text).toBe(
    ['x402 webhook', `service: ${SERVICE}`, `host: ${HOST}`, `url: ${URL_OF_HOOK}`, `date: ${date}`].join(
      '\n',
    ),
  )
  expect(receivers).toEqual([owner.address.toLowerCase()])
  const signature = await owner.signMessage({ message: text })
  const answer = await post({ host, url, date, address: owner.address, signature })
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([202, 'private, no-store'])
  const { id, secret, ...rest } = await answer.json()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(rest).toEqual({
    host: HOST,
    url: URL_OF_HOOK,
    state: 'unconfirmed',
    createdAt: new Date(SAMPLE_NOW).toISOString(),
    expiresAt: '2027-11-21T10:42:00.000Z',
    remove: `${SERVICE}/webhooks/remove`,
  })
  expect(await webhooks.list()).toMatchObject([{ id, host: HOST, url: URL_OF_HOOK, secret }])

  // A holder of the signature cannot take the webhook over.
  const again = await post(await signed({ date }))
  expect([again.status, (await again.json()).code]).toEqual([409, 'text_used'])

  const shown = await (await fetch(`${origin}/services/${HOST}`, HTML)).text()
  expect(shown).toContain(`/webhooks?host=${HOST}`)
  expect(shown).not.toContain('whsec_')

  expect((await post({ id, secret: 'whsec_other' }, '/webhooks/remove')).status).toBe(404)
  expect(await (await post({ id, secret }, '/webhooks/remove')).json()).toEqual({ id, removed: true })
  expect(await webhooks.list()).toEqual([])
})

test('behavior: a browser is shown the text, what is wrong with a signature, and the secret', async () => {
  const { origin, post, signed } = await open()
  expect(await (await fetch(`${origin}/webhooks?host=${HOST}`, HTML)).text()).toContain(`value="${HOST}"`)
  const wrongUrl = await fetch(`${origin}/webhooks?host=${HOST}&url=http://<b>`, HTML)
  expect(wrongUrl.status).toBe(400)
  expect(await wrongUrl.text()).not.toContain('<b>')
  const page = await (
    await fetch(`${origin}/webhooks?${new URLSearchParams({ host: HOST, url: URL_OF_HOOK })}`, HTML)
  ).text()
  expect(page).toContain(`name="date" value="${dateOf(SAMPLE_NOW)}"`)

  const fields = await signed()
  const bad = await post({ ...fields, signature: '0x12' }, '/webhooks', HTML.headers)
  expect(bad.status).toBe(400)
  expect(await bad.text()).toMatch(/class="fault"[^>]*>signature: expected the 65 bytes/)
  const broken = { ...fields, signature: `0x${'00'.repeat(65)}` }
  expect(await (await post(broken, '/webhooks', HTML.headers)).text()).toContain('it has 65 bytes, but is no')
  const late = await post({ ...fields, date: '2026-01-01T00:00:00Z' }, '/webhooks', HTML.headers)
  const latePage = await late.text()
  expect(latePage).toContain('a text is valid for one hour')
  expect(latePage).toContain(`name="date" value="${dateOf(SAMPLE_NOW)}"`)

  const created = await post(fields, '/webhooks', HTML.headers)
  expect([created.status, created.headers.get('cache-control')]).toEqual([202, 'private, no-store'])
  expect(await created.text()).toContain('whsec_')
  const form = await fetch(`${origin}/webhooks/remove`, { redirect: 'manual', ...HTML })
  expect([form.status, form.headers.get('location')]).toEqual([303, '/webhooks'])
})

test('error: refuses other signers, other texts, and dates beyond the hour', async () => {
  const { refusalOf, signed, webhooks, post } = await open()
  const fields = await signed()
  const unauthorised = (parameter: string, code: string) => [400, 'webhook_not_authorised', parameter, code]
  const strange = await stranger.signMessage({ message: ownerText({ service: SERVICE, ...fields }) })
  expect(await refusalOf({ ...fields, address: stranger.address, signature: strange })).toEqual(
    unauthorised('address', 'wrong_receiver'),
  )
  expect(await refusalOf({ ...fields, signature: strange })).toEqual(unauthorised('signature', 'other_key'))
  for (const changes of [{ url: 'https://other.example/' }, { date: dateOf(SAMPLE_NOW - MINUTE) }]) {
    expect(await refusalOf({ ...fields, ...changes })).toEqual(unauthorised('signature', 'other_key'))
  }
  const elsewhere = ownerText({ service: 'https://elsewhere.example', ...fields })
  expect(await refusalOf({ ...fields, signature: await owner.signMessage({ message: elsewhere }) })).toEqual(
    unauthorised('signature', 'other_key'),
  )
  for (const at of [SAMPLE_NOW - HOUR - 1000, SAMPLE_NOW + MINUTE + 1000]) {
    expect(await refusalOf(await signed({ date: dateOf(at) }))).toEqual(unauthorised('date', 'expired'))
  }
  expect(await refusalOf({ ...fields, date: '' })).toEqual(unauthorised('date', 'malformed'))
  expect(await refusalOf({ ...fields, address: '0x1' })).toEqual(unauthorised('address', 'malformed'))
  expect(await refusalOf({ ...fields, signature: 'no' })).toEqual(unauthorised('signature', 'malformed'))
  expect(await refusalOf({ ...fields, host: '' })).toEqual([400, 'invalid_fields', 'host', 'missing'])
  expect(await refusalOf({ ...fields, host: 'never.example' })).toEqual([
    404,
    'never_seen',
    undefined,
    undefined,
  ])
  expect(await webhooks.list()).toEqual([])
  const edges = [SAMPLE_NOW - HOUR, SAMPLE_NOW + MINUTE]
  for (const at of edges) expect((await post(await signed({ date: dateOf(at) }))).status).toBe(202)
})

test('error: refuses URLs that are not https on a public address', async () => {
  const { read, webhooks } = await open()
  const faultOf = async (url: string) => {
    const { status, code, errors } = await read(url)
    expect([status, code, errors[0].parameter]).toEqual([400, 'invalid_fields', 'url'])
    return errors[0].message
  }
  for (const [url, message] of [
    ['', 'Enter the URL.'],
    [`https://a.example/${'x'.repeat(2048)}`, 'at most 2048 characters'],
    ['a.example', 'absolute https URL'],
    ['https://a.example/a b', 'without spaces'],
    ['https://a.example/\u0000', 'without spaces'],
    ['https://ä.example/', 'printable ASCII'],
    ['http://a.example/', 'scheme https'],
    ['ftp://a.example/', 'scheme https'],
    ['https://me:pw@a.example/', 'no user name'],
    ['https://a.example/#x', 'no fragment'],
    ['https://a.example:8443/', 'default port'],
    ['https://127.0.0.1/', 'public address'],
    ['https://2130706433/', 'public address'],
    ['https://[::ffff:10.0.0.1]/', 'public address'],
    ['https://169.254.169.254/latest', 'public address'],
    ['http://dev.test:4022/', 'scheme https'],
  ] as const) {
    expect(await faultOf(url)).toContain(message)
  }
  expect(webhooks.readUrl('http://dev.test:4021/a')).toEqual({ url: 'http://dev.test:4021/a' })
  expect(webhooks.readUrl('https://A.example')).toEqual({ url: 'https://a.example/' })
  expect(webhooks.readUrl(`https://a.example/${'é'.repeat(3)}`)).toHaveProperty('fault')
})

test('error: limits creations by client', async () => {
  const { post } = await open()
  const statuses: number[] = []
  for (let count = 0; count < 21; count++) statuses.push((await post({})).status)
  expect(statuses).toEqual([...Array(20).fill(400), 429])
})
