import { expect, test } from 'vitest'
import type { Page } from './deps.ts'
import { startHttpApp } from './testing/startHttpApp.ts'

const echo: Page = {
  path: '/echo',
  handler: () => ({ type: 'text/plain; charset=utf-8', body: 'form' }),
  post: ({ fields, accepts }) => ({
    type: 'application/json; charset=utf-8',
    body: JSON.stringify({ accepts, fields: [...fields] }),
    maxAgeSeconds: 0,
  }),
}
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

async function start() {
  const origin = await startHttpApp({ pages: [echo, { path: '/plain', handler: echo.handler }] })
  const post = async (body: string | Uint8Array<ArrayBuffer>, type: string, path = '/echo') => {
    const response = await fetch(origin + path, { method: 'POST', body, headers: { 'Content-Type': type } })
    return { status: response.status, answer: await response.json(), headers: response.headers }
  }
  return { origin, post }
}

test('default', async () => {
  const { origin, post } = await start()
  const fields = [
    ['text', 'one\ntwo'],
    ['url', 'https://a.example/é?b=c&d'],
  ]
  const form = new URLSearchParams(fields).toString().replace('%0A', '%0D%0A')
  expect((await post(form, `${FORM};charset=UTF-8`)).answer).toEqual({ accepts: 'json', fields })
  expect((await post(JSON.stringify(Object.fromEntries(fields)), JSON_TYPE)).answer.fields).toEqual(fields)
  expect(await (await fetch(`${origin}/echo`)).text()).toBe('form')
})

test('error: names the field of a body that is no flat set of strings', async () => {
  const { post } = await start()
  const parameters = async (body: string, type: string) => {
    const { status, answer } = await post(body, type)
    return [status, answer.code, answer.errors?.map(({ parameter }: { parameter: string }) => parameter)]
  }
  expect(await parameters('a=1&b=2&a=3', FORM)).toEqual([400, 'invalid_fields', ['a']])
  for (const value of ['1', 'null', '["x"]', '{"x":"y"}', 'true']) {
    expect(await parameters(`{"a":"x","b":${value}}`, JSON_TYPE)).toEqual([400, 'invalid_fields', ['b']])
  }
  for (const body of ['', 'null', '[]', '"a"', '{', `${'['.repeat(5000)}`]) {
    expect(await parameters(body, JSON_TYPE)).toEqual([400, 'bad_body', undefined])
  }
})

test('error: bounds bodies, and takes forms and JSON only', async () => {
  const { origin, post } = await start()
  expect((await post(`a=${'x'.repeat(16_000)}`, FORM)).status).toBe(200)
  expect((await post(`a=${'x'.repeat(17_000)}`, FORM)).answer.code).toBe('body_too_large')
  expect((await post(new Uint8Array([97, 61, 255]), FORM)).answer.code).toBe('bad_body')
  expect((await post('a=1', 'text/plain')).status).toBe(415)
  expect((await post('a=1', 'multipart/form-data; boundary=x')).status).toBe(415)
  const many = Array.from({ length: 100 }, (_, index) => `f${index}=1`).join('&')
  expect((await post(many, FORM)).answer.fields).toHaveLength(32)
  const chunked = await fetch(`${origin}/echo`, {
    method: 'POST',
    headers: { 'Content-Type': FORM },
    body: new Blob([`a=${'x'.repeat(40_000)}`]).stream(),
    duplex: 'half',
  } as RequestInit)
  expect(chunked.status).toBe(413)
})

test('behavior: POST stays refused everywhere else', async () => {
  const { origin, post } = await start()
  for (const path of ['/plain', '/verify', '/pulse']) {
    const { status, headers } = await post('a=1', FORM, path)
    expect([path, status, headers.get('allow')?.includes('POST')]).toEqual([path, 405, false])
  }
  const options = await fetch(`${origin}/echo`, { method: 'OPTIONS' })
  expect(options.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
})
