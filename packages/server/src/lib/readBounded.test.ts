import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBodyCollector } from './readBounded.ts'

describe('createBodyCollector', () => {
  test('default: returns the chunks that fit the limit', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 9_000 }), { maxLength: 12 })
    fc.assert(
      fc.property(chunks, fc.nat(30_000), (sent, maxBytes) => {
        const body = createBodyCollector(maxBytes)
        const fitting = sent.slice(0, sent.findIndex((chunk) => !body.add(chunk)) >>> 0)
        expect(body.read().equals(Buffer.concat(fitting))).toBe(true)
      }),
    )
  })

  test('behavior: copies the chunks', () => {
    const body = createBodyCollector(10)
    const chunk = Buffer.from('a')
    body.add(chunk)
    chunk.write('b')
    expect(body.read().toString()).toBe('a')
  })

  test('behavior: memory stays within the limit when bytes arrive one by one', () => {
    const body = createBodyCollector(256 * 1024)
    const one = Buffer.from('a')
    for (let count = 0; count < 200_000; count++) body.add(one)
    expect(body.read().toString()).toBe('a'.repeat(200_000))
    expect(body.read().buffer.byteLength).toBeLessThanOrEqual(256 * 1024)
  })
})
