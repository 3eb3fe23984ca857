import { describe, expect, test } from 'vitest'
import { BodyTooLargeError, readBody, readBytes } from './readBody.ts'

const endless = () =>
  new Response(
    new ReadableStream({ pull: (controller) => controller.enqueue(new TextEncoder().encode('abc')) }),
  )
const silent = () =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([65])) }))

describe('readBody', () => {
  test('default: reads a body up to the size limit', async () => {
    expect(await readBody(new Response('äbc'), 4, 1000)).toBe('äbc')
    expect(await readBody(new Response(null), 0, 1000)).toBe('')
  })

  test('error: rejects a longer or slower body', async () => {
    await expect(readBody(new Response('abcde'), 4, 1000)).rejects.toThrow(BodyTooLargeError)
    await expect(readBody(endless(), 100, 1000)).rejects.toThrow(BodyTooLargeError)
    await expect(readBody(silent(), 100, 20)).rejects.toThrow(BodyTooLargeError)
  })

  test('behavior: keeps the start of a longer or slower body', async () => {
    for (const [body, maxBytes, start] of [
      [endless(), 7, 'abcabca'],
      [silent(), 100, 'A'],
    ] as const) {
      const chunks: Uint8Array[] = []
      await expect(readBytes(body, maxBytes, 20, chunks)).rejects.toThrow(BodyTooLargeError)
      expect(Buffer.concat(chunks).toString()).toBe(start)
    }
  })
})
