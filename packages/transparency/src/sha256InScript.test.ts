import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256InScript } from './sha256InScript.ts'

const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('default: the example of FIPS 180-4', () => {
  expect(hex(sha256InScript(new TextEncoder().encode('abc')))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test('behavior: agrees with Node at every length around the bounds of blocks', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, index) => (index * 151) & 0xff)
  for (let length = 0; length <= bytes.length; length++) {
    const part = bytes.subarray(0, length)
    expect(hex(sha256InScript(part))).toBe(expected(part))
    expect(hex(sha256InScript(bytes, length))).toBe(expected(part))
  }
})

test('behavior: agrees with Node on any bytes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 1000 }),
      (bytes) => hex(sha256InScript(bytes)) === expected(bytes),
    ),
  )
})
