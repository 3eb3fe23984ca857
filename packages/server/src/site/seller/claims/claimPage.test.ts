import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openClaimed, receiver } from '../../testing/openClaimed.ts'
import { HTML, openPages, samplesOf } from '../../testing/openPages.ts'

const SINCE = '2026-11-21T10:42:00.000Z'
const faultOf = async (answer: Response) => {
  const { status, code, errors = [] } = await answer.json()
  const [{ parameter, code: reason, message } = { parameter: '', code: '', message: '' }] = errors
  return { status, code, parameter, reason, message }
}

test('default: a host is claimed by the file that its page asks for', async () => {
  const { origin, host, conduct, read, claim, page, publish } = await openClaimed()
  expect(await page(`/services/${host}`)).not.toContain('Claimed by')
  const { secret, token, file } = await read()
  expect(file).toEqual({ url: `http://${host}/.well-known/touchstone.txt`, line: token })
  publish(`# ours\r\n${token}\r\n`)
  const answer = await claim({ method: 'file', secret })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('private, no-store')
  expect(await answer.json()).toEqual({
    ...{ host, method: 'file', since: SINCE, token },
    profile: `https://touchstone.example/services/${encodeURIComponent(host)}`,
    disputes: 'https://touchstone.example/disputes',
  })
  expect(conduct.asked).toEqual([`${host}/.well-known/touchstone.txt`])
  expect((await read()).claims).toEqual([{ method: 'file', since: SINCE }])
  expect(await page(`/services/${host}`)).toMatch(/Claimed by file since <time[^>]*>21 Nov 2026/)
  const profile = await (await fetch(`${origin}/services/${host}.json`)).text()
  expect(profile).not.toMatch(/claim/i)
})

test('default: a host is claimed by a TXT record, in any of its strings', async () => {
  const { records, read, claim } = await openClaimed()
  const { secret, dns } = await read()
  expect(dns.name).toBe('_touchstone.shop.test')
  records.set(dns.name, [['v=spf1 -all'], [dns.value.slice(0, 20), dns.value.slice(20)]])
  expect(await (await claim({ method: 'dns', secret })).json()).toMatchObject({ method: 'dns', since: SINCE })
})

test('default: a host is claimed by a signature of its receiver', async () => {
  const { host, read, claim, page } = await openClaimed()
  const { secret, token, signature: ways } = await read()
  expect(ways.text).toBe(
    `x402 claim of host\nhost: ${host}\nservice: https://touchstone.example\ndate: 2026-11-21\ntoken: ${token}`,
  )
  const signature = await receiver.signMessage({ message: ways.text })
  const sent = { method: 'signature', secret, date: ways.date, address: receiver.address, signature }
  expect(await (await claim(sent)).json()).toMatchObject({
    method: 'signature',
    address: receiver.address.toLowerCase(),
  })
  expect(await page(`/services/${host}`)).toMatch(/Claimed by payTo signature of .*0x.* since/)
})

test('behavior: the published token is worth nothing to others, nor at another service', async () => {
  const { read, claim, publish, host } = await openClaimed()
  const mine = await read()
  publish(mine.token)
  const others = await read()
  expect(others.secret).not.toBe(mine.secret)
  expect(await faultOf(await claim({ method: 'file', secret: others.secret }))).toMatchObject({
    reason: 'other_token',
  })
  expect((await claim({ method: 'file', secret: mine.secret })).status).toBe(200)

  const elsewhere = await openClaimed('https://other.example')
  elsewhere.publish(mine.token)
  const refused = await elsewhere.claim({ method: 'file', secret: mine.secret })
  expect(await faultOf(refused)).toMatchObject({ code: 'claim_not_proven', reason: 'other_token' })
  expect(host).not.toBe(elsewhere.host)
})

test('error: names what is wrong with a file', async () => {
  const { host, conduct, read, claim, publish } = await openClaimed()
  const { secret, token } = await read()
  const place = `method: http://${host}/.well-known/touchstone.txt`
  const fault = async () => faultOf(await claim({ method: 'file', secret }))
  expect(await fault()).toEqual({
    ...{ status: 400, code: 'claim_not_proven', parameter: 'method', reason: 'not_found' },
    message: `${place} answered HTTP 404: expected 200 with the text`,
  })
  conduct.answer = (request, response) =>
    request.url === '/moved'
      ? void response.end(token)
      : void response.writeHead(301, { location: '/moved' }).end()
  expect(await fault()).toMatchObject({
    reason: 'redirected',
    message: expect.stringContaining('redirects (HTTP 301)'),
  })
  expect(conduct.asked).not.toContain(`${host}/moved`)
  publish('<!doctype html><p>Not here</p>')
  expect(await fault()).toMatchObject({ reason: 'no_token', message: expect.stringContaining(token) })
  publish(`${'x'.repeat(4096)}\n${token}`)
  expect(await fault()).toMatchObject({ reason: 'too_large' })
  conduct.answer = (_request, response) => void response.writeHead(401).end()
  expect(await fault()).toMatchObject({ reason: 'http_error' })
  conduct.answer = (request) => void request.socket.destroy()
  expect(await fault()).toMatchObject({ reason: 'connection_lost' })
})

test('error: names what is wrong with a TXT record', async () => {
  const { records, read, claim } = await openClaimed()
  const { secret, dns } = await read()
  const fault = async () => faultOf(await claim({ method: 'dns', secret }))
  expect(await fault()).toMatchObject({
    reason: 'no_txt',
    message: 'method: _touchstone.shop.test has no TXT record',
  })
  records.set(dns.name, [['touchstone-claim=other']])
  expect(await fault()).toMatchObject({ reason: 'other_token' })
  records.set(dns.name, [['v=spf1 -all']])
  expect(await fault()).toMatchObject({ reason: 'no_token' })
})

test('error: names what is wrong with a signature', async () => {
  const { host, read, claim, clock, conduct } = await openClaimed()
  const { secret, signature: ways } = await read()
  const stranger = privateKeyToAccount(`0x${'6'.repeat(64)}`)
  const signed = await receiver.signMessage({ message: ways.text })
  const fault = async (fields: Record<string, string>) => {
    const all = {
      method: 'signature',
      secret,
      date: ways.date,
      address: receiver.address,
      signature: signed,
      ...fields,
    }
    const { parameter, reason, message } = await faultOf(await claim(all))
    return { of: `${parameter} ${reason}`, message }
  }
  expect(await fault({ address: stranger.address })).toEqual({
    of: 'address not_a_receiver',
    message: `address: ${stranger.address} is not a receiver of ${host} now`,
  })
  const byStranger = await stranger.signMessage({ message: ways.text })
  expect(await fault({ signature: byStranger })).toEqual({
    of: 'signature other_key',
    message: expect.stringContaining(`is by ${stranger.address}`),
  })
  // A signature of the text of another visitor, as if copied.
  expect(await fault({ secret: (await read()).secret })).toMatchObject({ of: 'signature other_key' })
  expect(await fault({ date: '2026-11-20' })).toMatchObject({ of: 'signature other_key' })
  expect(await fault({ signature: `0x${'00'.repeat(65)}` })).toEqual({
    of: 'signature malformed',
    message: expect.stringMatching(/^signature: it has 65 bytes, but .*; a contract claims by file or DNS$/),
  })
  expect(await fault({ signature: '0x12' })).toEqual({
    of: 'signature malformed',
    message: expect.stringMatching(/^signature: expected the 65 bytes .*; a contract claims by file or DNS$/),
  })
  expect(await fault({ signature: 'none' })).toMatchObject({ of: 'signature malformed' })
  expect(await fault({ address: '0x12' })).toMatchObject({ of: 'address malformed' })
  expect(await fault({ date: 'today' })).toMatchObject({ of: 'date malformed' })
  expect(await fault({ date: '2026-11-22' })).toMatchObject({ of: 'date out_of_range' })
  conduct.now = clock.now() + 8 * 86_400_000
  expect(await fault({})).toMatchObject({ of: 'date out_of_range' })
})

test('behavior: a browser gets the page again with what is wrong, under its own secret', async () => {
  const { host, origin, post, page } = await openClaimed()
  const shown = await page(`/claims?host=${host}`)
  const secret = /name="secret"[^>]*value="([^"]+)"/.exec(shown)?.[1] ?? ''
  expect(secret).toHaveLength(43)
  expect((await fetch(`${origin}/claims?host=${host}`, HTML)).headers.get('cache-control')).toBe(
    'private, no-store',
  )
  const wrong = await post(
    '/claims',
    { method: 'signature', secret, address: '"><b>', date: '', signature: '' },
    HTML.headers,
  )
  expect(wrong.status).toBe(400)
  const again = await wrong.text()
  expect(again).toContain(secret)
  expect(again).toMatch(/class="fault"[^>]*>expected 0x and 40/)
  expect(again).not.toContain('"><b>')
  expect(await page('/claims')).toContain('action="/claims" method="get"')
})

test('behavior: a browser gets the page of the claim again for a secret of the wrong form', async () => {
  const { post, conduct } = await openClaimed()
  const wrong = await post('/claims', { method: 'file', secret: 'short' }, HTML.headers)
  expect([wrong.status, wrong.headers.get('cache-control')]).toEqual([400, 'private, no-store'])
  const page = await wrong.text()
  expect(page).toMatch(/<input id="f-secret"[^>]*aria-invalid="true"[^>]*value="short"/)
  expect(page).toMatch(/id="f-secret-fault">expected the 43 characters/)
  expect(page).not.toContain('secret: expected')
  expect(conduct.asked).toEqual([])
})

test('behavior: a URL names its host, and an unknown one is said how to be listed', async () => {
  const { origin, host, page } = await openClaimed()
  for (const name of [`http://${host}/v1/chat?x=1`, `${host}/v1`, ` ${host} `]) {
    const { file } = await (await fetch(`${origin}/claims?${new URLSearchParams({ host: name })}`)).json()
    expect(file.url).toBe(`http://${host}/.well-known/touchstone.txt`)
  }
  const unknown = await page('/claims?host=never.example')
  expect(unknown).toContain('not known here; expected a host with a profile, such as api.example.com.')
  expect(unknown).toContain('<a href="/">Check an endpoint of it</a>')
})

test('error: refuses unknown hosts, unknown ways and other secrets before it asks the host', async () => {
  const { origin, claim, post, conduct, read } = await openClaimed()
  const { secret } = await read()
  expect((await fetch(`${origin}/claims?host=never.example`)).status).toBe(404)
  expect((await fetch(`${origin}/claims`)).status).toBe(400)
  expect((await post('/claims', { host: 'never.example', method: 'file', secret })).status).toBe(404)
  expect(await faultOf(await claim({ method: 'mail', secret }))).toMatchObject({ parameter: 'method' })
  expect(await faultOf(await claim({ method: 'file' }))).toMatchObject({
    parameter: 'secret',
    reason: 'missing',
  })
  expect(await faultOf(await claim({ method: 'file', secret: 'guess' }))).toMatchObject({
    reason: 'malformed',
  })
  expect(conduct.asked).toEqual([])
  const statuses: number[] = []
  for (let count = 0; count < 18; count++) statuses.push((await claim({ method: 'file', secret })).status)
  expect(statuses).toEqual([...Array(16).fill(400), 429, 429])
})

test('behavior: without claims the pages say nothing of them', async () => {
  const host = 'llm.quickinfer.net'
  const origin = await openPages(samplesOf(host))
  expect((await fetch(`${origin}/claims?host=${host}`)).status).toBe(404)
  const profile = await (await fetch(`${origin}/services/${host}`, HTML)).text()
  expect(profile).not.toContain('/claims')
})
