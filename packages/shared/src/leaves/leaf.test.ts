import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, joinLeaf, openLeaf, readLeaf, splitLeaf, writeLeaf } from './index.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const salt = Buffer.alloc(16, 7).toString('base64')

test('default: the example of RFC 8785, section 3.2.2', () => {
  const value = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  )
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
})

test('behavior: properties are in the order of RFC 8785, section 3.2.3', () => {
  const value = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 }
  expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(7)
  expect([...canonicalJson(value).matchAll(/:(\d)/g)].map(([, place]) => place).join('')).toBe('2467153')
})

test('error: values that canonical JSON does not have', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', { '\udead': 1 }]) {
    expect(() => canonicalJson(value)).toThrow(TypeError)
  }
})

test('default: a leaf commits to its opening', () => {
  const text = writeLeaf(
    { kind: 'decision', at: '2026-01-31T12:00:00.000Z' },
    { salt, endpoint: 'https://a.example/' },
  )
  const leaf = readLeaf(bytes(text.leaf))
  expect(text.leaf).not.toContain('a.example')
  expect(openLeaf(leaf, text.opening ?? '')).toEqual({ salt, endpoint: 'https://a.example/' })
  expect(splitLeaf(joinLeaf(text))).toMatchObject(text)
  const other = writeLeaf({ kind: 'x', at: '' }, { salt, endpoint: 'https://b.example/' })
  expect(() => openLeaf(leaf, other.opening ?? '')).toThrow(
    'the opening is not the one that the leaf commits to',
  )
})

test('error: bytes that are no leaf', () => {
  for (const wrong of [
    '',
    '[]',
    '{"kind":1,"at":""}',
    '{"kind":"a", "at":""}',
    '{"kind":"a","at":"b"}',
    '{"at":"b"}',
  ]) {
    expect(() => readLeaf(bytes(wrong)), wrong).toThrow(expect.objectContaining({ code: 'malformed_leaf' }))
  }
  expect(readLeaf(bytes('{"at":"b","kind":"a"}'))).toEqual({ kind: 'a', at: 'b' })
  fc.assert(
    fc.property(fc.uint8Array(), (hostile) => {
      expect(() => readLeaf(hostile)).toThrow(expect.objectContaining({ code: 'malformed_leaf' }))
    }),
  )
  expect(() => writeLeaf({ kind: 'a', at: 'x'.repeat(65_536) }, null)).toThrow(
    'a leaf has at most 65,535 bytes',
  )
})
