import { expect, test } from 'vitest'
import { declaresJson } from './declaresJson.ts'
import { readDelivery } from './readDelivery.ts'

const json = { headers: { 'content-type': 'application/json' } }

const read = (response: Response, expectsJson = false) => readDelivery(response, expectsJson)

test('default: a 2xx with a body is a delivery, with its status and the first 300 characters, of at most 512 bytes', async () => {
  expect(await read(new Response('{"ok":true}', json))).toEqual({
    delivered: true,
    httpStatus: 200,
    excerpt: '{"ok":true}',
  })
  const text = { headers: { 'content-type': 'text/plain' } }
  for (const [character, count] of [
    ['e', 300],
    ['é', 256],
    ['€', 170],
  ] as const)
    expect((await read(new Response(character.repeat(5_000), text))).excerpt).toBe(character.repeat(count))
})

test('behavior: an answer without a delivery keeps its status and what it says', async () => {
  expect(await read(new Response('', json))).toEqual({
    delivered: false,
    httpStatus: 200,
    excerpt: null,
  })
  expect(await read(new Response('{"error":"sold out"}', { ...json, status: 500 }))).toEqual({
    delivered: false,
    httpStatus: 500,
    excerpt: '{"error":"sold out"}',
  })
})

test('behavior: control and format characters are removed, and binary bodies have no excerpt', async () => {
  const text = 'a\u0007b\u001b[31m\r\nc\u202ed\u200b\u2028e'
  expect((await read(new Response(text, json))).excerpt).toBe('a b [31m c d e')
  expect((await read(new Response(new Uint8Array([1, 0, 2]), json))).excerpt).toBeNull()
  const image = { headers: { 'content-type': 'image/png' } }
  expect(await read(new Response('PNG', image))).toEqual({
    delivered: true,
    httpStatus: 200,
    excerpt: null,
  })
})

test('error: a body that breaks after its first byte is a delivery of what came', async () => {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('"first'))
      queueMicrotask(() => controller.error(new Error('reset')))
    },
  })
  expect(await read(new Response(body, json))).toMatchObject({ delivered: true, excerpt: '"first' })
})

test('rule 14, abuse: white space, an empty object, null and an empty text deliver nothing', async () => {
  for (const body of [' \n\t', ' '.repeat(10_000), '{}', '{ }\n', 'null', '""', '\ufeff{}'])
    expect([body, (await read(new Response(body, json))).delivered]).toEqual([body, false])
})

test('rule 14, honest: an empty list, a zero, false and a short text are answers', async () => {
  for (const body of ['[]', '0', 'false', '"x"', '{"a":null}', `${' '.repeat(500)}[]`])
    expect([body, (await read(new Response(body, json))).delivered]).toEqual([body, true])
  const text = { headers: { 'content-type': 'text/plain' } }
  expect((await read(new Response('ok', text))).delivered).toBe(true)
})

test('rule 14, abuse: a page with status 200 delivers nothing where JSON is declared', async () => {
  const page = { headers: { 'content-type': 'text/html' } }
  const error = '<!doctype html><title>Error</title>'
  expect((await read(new Response(error, page), true)).delivered).toBe(false)
  expect((await read(new Response(error, json))).delivered).toBe(false)
  expect((await read(new Response(error, page))).delivered).toBe(true)
  expect((await read(new Response(' [1]', page), true)).delivered).toBe(true)
  for (const words of ['not found', 'temporarily unavailable', 'true story', '404 page', '-', 'nullify'])
    expect([words, (await read(new Response(words, json))).delivered]).toEqual([words, false])
  for (const value of ['true', '-1.5e3', '0', ' 42\n', '"not found"'])
    expect([value, (await read(new Response(value, json))).delivered]).toEqual([value, true])
})

test('behavior: what a challenge declares is read from its header and its body', async () => {
  const header = (challenge: unknown) => ({
    status: 402,
    headers: { 'payment-required': Buffer.from(JSON.stringify(challenge)).toString('base64') },
  })
  const v2 = header({ x402Version: 2, resource: { mimeType: 'application/json' }, accepts: [] })
  expect(await declaresJson(new Response('', v2))).toBe(true)
  const v1 = JSON.stringify({ x402Version: 1, accepts: [{ mimeType: 'application/json; charset=utf-8' }] })
  expect(await declaresJson(new Response(v1, { status: 402 }))).toBe(true)
  for (const body of [
    '',
    'x',
    '[]',
    '{"accepts":[null,{"mimeType":1}]}',
    '{"accepts":[{"mimeType":"text/html"}]}',
  ])
    expect(await declaresJson(new Response(body, { status: 402 }))).toBe(false)
  expect(await declaresJson(new Response('x'.repeat(300_000), { status: 402 }))).toBe(false)
})
