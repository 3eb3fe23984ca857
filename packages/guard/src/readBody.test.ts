import { describe, expect, test } from 'vitest'
import { BodyTooLargeError, readBody, readStart } from './readBody.ts'

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

  test('behavior: reads the start of a longer or slower body', async () => {
    expect(await readStart(endless(), 7, 1000)).toEqual({ text: 'abcabca', isCut: true })
    expect(await readStart(silent(), 100, 20)).toEqual({ text: 'A', isCut: true })
    expect(await readStart(new Response('abc'), 3, 1000)).toEqual({ text: 'abc', isCut: false })
  })
})
