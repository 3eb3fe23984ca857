import { RotationSchema } from '@touchstone402/shared'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { CheckRecord } from '../../../checks/checkRecord.ts'
import type { Checks } from '../../../checks/createChecks.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { HTML, openPages, samplesOf } from '../../testing/openPages.ts'

const HOST = 'llm.quickinfer.net'
const ENDPOINT = `https://${HOST}/v1/chat`
const [old, next, other] = [1, 2, 3].map((digit) => privateKeyToAccount(`0x${`${digit}`.repeat(64)}`)) as [
  Account,
  Account,
  Account,
]
type Account = ReturnType<typeof privateKeyToAccount>

/** Serves a seller whose receiver changed six days ago from the old to the next one. */
async function open(changes: Partial<PageDeps> = {}) {
  const samples = samplesOf(HOST).map((sample) => ({
    ...sample,
    payTo: (ago: number) => (ago > 6 ? old.address : next.address),
  }))
  const origin = await openPages(samples, changes)
  const read = async () => (await fetch(`${origin}/rotations?endpoint=${ENDPOINT}`)).json()
  const post = async (fields: Record<string, string>, headers = {}) =>
    fetch(`${origin}/rotations`, {
      method: 'POST',
      body: new URLSearchParams({ endpoint: ENDPOINT, ...fields }),
      headers,
      redirect: 'manual',
    })
  const faultOf = async (fields: Record<string, string>) => {
    const answer = await post(fields)
    const { status, errors } = await answer.json()
    const [{ parameter, code, message }] = errors
    return { status, parameter, code, message }
  }
  return { origin, read, post, faultOf }
}

test('default', async () => {
  const { read, post } = await open()
  const { text, validFrom, firstSeenAt } = await read()
  expect(text).toBe(
    [
      'x402 receiver rotation',
      `host: ${HOST}`,
      'network: eip155:8453',
      `old: ${old.address.toLowerCase()}`,
      `new: ${next.address.toLowerCase()}`,
      `valid from: ${validFrom}`,
    ].join('\n'),
  )
  expect(Date.parse(validFrom)).toBeLessThanOrEqual(Date.parse(firstSeenAt))
  const signature = await old.signMessage({ message: text })
  const answer = await post({ text, signature })
  expect(answer.status).toBe(200)
  const body = await answer.json()
  expect(RotationSchema.parse(body)).toEqual(body)
  expect(body).toEqual({
    endpoint: ENDPOINT,
    verified: true,
    published: false,
    publish: { network: 'eip155:8453', newPayTo: next.address.toLowerCase(), validFrom, signature },
  })
})

test('error: names the exact fault of a text or its signature', async () => {
  const { read, faultOf } = await open()
  const { text, validFrom } = await read()
  const sign = (message: string, account = old) => account.signMessage({ message })
  const changed = async (from: string, to: string) => {
    const wrong = text.replace(from, to)
    expect(wrong).not.toBe(text)
    return faultOf({ text: wrong, signature: await sign(wrong) })
  }
  expect(await changed(`host: ${HOST}`, 'host: evil.example')).toMatchObject({
    status: 400,
    parameter: 'text',
    code: 'wrong_host',
    message: expect.stringContaining(`evil.example; this endpoint is at ${HOST}`),
  })
  expect(await changed('eip155:8453', 'eip155:1')).toMatchObject({ code: 'wrong_network' })
  const [oldText, newText] = [old, next].map(({ address }) => address.toLowerCase()) as [string, string]
  const third = other.address.toLowerCase()
  expect(await changed(`old: ${oldText}`, `old: ${third}`)).toMatchObject({ code: 'wrong_receiver' })
  expect(await changed(`new: ${newText}`, `new: ${third}`)).toMatchObject({
    code: 'wrong_receiver',
    message: expect.stringContaining(`the endpoint asks for ${next.address}`),
  })
  expect(await changed(validFrom, '2099-01-01T00:00:00Z')).toMatchObject({
    code: 'too_late',
    message: expect.stringContaining('was first seen at'),
  })
  expect(await changed(validFrom, 'yesterday')).toMatchObject({ code: 'malformed' })
  expect(await changed(oldText, old.address)).toMatchObject({ code: 'malformed' })
  expect(await changed('host: ', 'HOST: ')).toMatchObject({ code: 'malformed' })
  expect(await changed(validFrom, `${validFrom}\n`)).toMatchObject({ code: 'malformed' })

  // Checks are limited per client, and each server counts for itself.
  const second = await open()
  const bySignature = (signature: string) => second.faultOf({ text, signature })
  expect(await bySignature(await sign(text, other))).toMatchObject({
    parameter: 'signature',
    code: 'other_key',
    message: expect.stringContaining(other.address),
  })
  expect(await bySignature(await sign(text, next))).toMatchObject({
    code: 'other_key',
    message: expect.stringContaining('the new receiver signed'),
  })
  expect(await bySignature(await sign(`${text}\n`))).toMatchObject({ code: 'other_text' })
  expect(await bySignature('')).toMatchObject({ code: 'missing' })
  for (const [broken, message] of [
    ['none', 'expected 0x and hexadecimal digits'],
    ['0x12', 'expected the 65 bytes of a signature by personal_sign; a contract announces'],
    [`0x${'00'.repeat(65)}`, 'it has 65 bytes, but is no valid signature: copy the whole output'],
  ] as const) {
    expect(await bySignature(broken)).toMatchObject({
      ...{ parameter: 'signature', code: 'malformed' },
      message: expect.stringContaining(message),
    })
  }
})

test('behavior: a marked-down profile begins with the text to sign, and a browser gets pages', async () => {
  const { origin, read, post } = await open()
  const profile = await (await fetch(`${origin}/services/${HOST}`, HTML)).text()
  const { text, validFrom } = await read()
  expect(profile.indexOf('Is this yours?')).toBeGreaterThan(0)
  expect(profile.indexOf('Is this yours?')).toBeLessThan(profile.indexOf('Before paying'))
  expect(profile).toContain(`<code>${text}</code>`)
  expect(profile).toContain('must not be later')

  const wrong = await post({ text, signature: await other.signMessage({ message: text }) }, HTML.headers)
  expect(wrong.status).toBe(400)
  expect(await wrong.text()).toMatch(/class="fault"[^>]*>for this text the signature is by 0x/)
  const right = await post({ text, signature: await old.signMessage({ message: text }) }, HTML.headers)
  expect(right.status).toBe(200)
  const page = await right.text()
  expect(page).toContain('The signature is right.')
  expect(page).toContain(`&quot;validFrom&quot;: &quot;${validFrom}&quot;`)
})

test('behavior: a published announcement is checked, and a right one is probed at once', async () => {
  const asked: unknown[] = []
  let published: string | null = null
  const urls: string[] = []
  const readDocument = async (url: string) => {
    urls.push(url)
    return published
  }
  const start: Checks['start'] = async ({ subject }) => {
    asked.push(subject)
    return { ...({} as CheckRecord), id: 'check' }
  }
  const checks = { start, read: async () => undefined }
  const { read, post, faultOf } = await open({ readDocument, checks })
  expect(await faultOf({})).toMatchObject({
    parameter: 'published',
    code: 'missing',
    message: expect.stringContaining('could not be read'),
  })
  const page = await (await post({}, HTML.headers)).text()
  const [, button = ''] =
    /<form class="form"((?:(?!<form).)*)I published it, check now/s.exec(
      page.slice(page.indexOf('f-signature')),
    ) ?? []
  expect(button).toMatch(/<p class="fault" role="alert">https:.*could not be read/)
  expect(page).not.toContain('aria-invalid')
  for (published of ['{}', 'x', '{"rotations":[{"newPayTo":"0x12"}]}']) {
    expect(await faultOf({})).toMatchObject({ message: expect.stringContaining('has no newPayTo') })
  }
  const { text, validFrom } = await read()
  const statement = { newPayTo: next.address, validFrom }
  published = JSON.stringify({ ...statement, signature: await other.signMessage({ message: text }) })
  expect(await faultOf({})).toMatchObject({ parameter: 'published', code: 'other_key' })
  expect(asked).toEqual([])

  published = JSON.stringify({ ...statement, signature: await old.signMessage({ message: text }) })
  const answer = await post({}, HTML.headers)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/scans/check'])
  expect(asked).toEqual([{ host: HOST }])
  expect(new Set(urls)).toEqual(new Set([`https://${HOST}/.well-known/x402`]))
})

test('behavior: a seller that plans a change names the new receiver and gets the text', async () => {
  const origin = await openPages(samplesOf('api.skycast.dev'))
  const endpoint = 'https://api.skycast.dev/v2/current'
  const found = await (await fetch(`${origin}/services/api.skycast.dev`, HTML)).text()
  const [, path = ''] = /href="(\/rotations\?endpoint=[^"]+)"/.exec(found) ?? []
  expect(path).not.toBe('')
  expect(await (await fetch(origin + path, HTML)).text()).toContain('name="newPayTo"')
  const planned = await (await fetch(`${origin}${path}&newPayTo=${next.address}`)).json()
  expect(planned).toMatchObject({ newPayTo: null, firstSeenAt: null })
  expect(planned.text).toContain(`new: ${next.address.toLowerCase()}\nvalid from: `)
  const published = await fetch(`${origin}/rotations`, {
    ...{ method: 'POST', body: new URLSearchParams(path.split('?')[1]) },
    headers: HTML.headers,
  })
  expect(published.status).toBe(400)
  expect(await published.text()).toMatch(/<p class="fault" role="alert">[^<]*could not be read/)
  expect((await fetch(`${origin}${path}&newPayTo=0x12`)).status).toBe(400)
  expect((await fetch(`${origin}/rotations?endpoint=${endpoint}x`)).status).toBe(404)
  expect((await fetch(`${origin}/rotations?endpoint=ftp://x`)).status).toBe(400)
  expect((await fetch(`${origin}/rotations`)).status).toBe(400)
  expect((await fetch(`${origin}/rotations`, HTML)).status).toBe(200)
})

test('error: limits checks per client', async () => {
  const { post } = await open()
  const answers: Response[] = []
  for (let time = 0; time < 11; time++) answers.push(await post({ text: 'x', signature: '0x' }))
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(400), 429])
  const policy = answers.at(-1)?.headers.get('ratelimit-policy')
  expect(policy).toMatch(/^"default";q=10;w=\d+$/)
})
