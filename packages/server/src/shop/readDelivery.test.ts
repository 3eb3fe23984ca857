import { expect, test } from 'vitest'
import { readDelivery } from './readDelivery.ts'

const json = { headers: { 'content-type': 'application/json' } }

test('default: a 2xx with a body is a delivery, with its status and the first 300 characters, of at most 512 bytes', async () => {
  expect(await readDelivery(new Response('{"ok":true}', json))).toEqual({
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
    expect((await readDelivery(new Response(character.repeat(5_000), text))).excerpt).toBe(
      character.repeat(count),
    )
})

test('behavior: an answer without a delivery keeps its status and what it says', async () => {
  expect(await readDelivery(new Response('', json))).toEqual({
    delivered: false,
    httpStatus: 200,
    excerpt: null,
  })
  expect(await readDelivery(new Response('{"error":"sold out"}', { ...json, status: 500 }))).toEqual({
    delivered: false,
    httpStatus: 500,
    excerpt: '{"error":"sold out"}',
  })
})

test('behavior: control and format characters are removed, and binary bodies have no excerpt', async () => {
  const text = 'a\u0007b\u001b[31m\r\nc\u202ed\u200b\u2028e'
  expect((await readDelivery(new Response(text, json))).excerpt).toBe('a b [31m c d e')
  expect((await readDelivery(new Response(new Uint8Array([1, 0, 2]), json))).excerpt).toBeNull()
  const image = { headers: { 'content-type': 'image/png' } }
  expect(await readDelivery(new Response('PNG', image))).toEqual({
    delivered: true,
    httpStatus: 200,
    excerpt: null,
  })
})

test('error: a body that breaks after its first byte is a delivery of what came', async () => {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('first'))
      queueMicrotask(() => controller.error(new Error('reset')))
    },
  })
  expect(await readDelivery(new Response(body, json))).toMatchObject({ delivered: true, excerpt: 'first' })
})
