import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_DEPTH, parseJson } from './parseJson.ts'

const nested = (depth: number, [open, close]: string) => `${open?.repeat(depth)}1${close?.repeat(depth)}`

describe('parseJson', () => {
  test('default: parses whatever JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('behavior: counts brackets, not those in texts', () => {
    const text = JSON.stringify({ note: `${'['.repeat(100)}"\\"${'{'.repeat(100)}` })
    expect(parseJson(text)).toEqual(JSON.parse(text))
    expect(parseJson(`[${'[1],'.repeat(100)}1]`)).toHaveLength(101)
  })

  test('error: refuses documents deeper than 64 levels before it parses them', () => {
    expect(parseJson(nested(MAX_DEPTH, '[]'))).toBeDefined()
    expect(() => parseJson(nested(MAX_DEPTH + 1, '[]'))).toThrow('deeper than 64 levels')
    expect(() => parseJson('{"a":'.repeat(1_000_000))).toThrow('deeper than 64 levels')
    expect(() => parseJson('{')).toThrow(SyntaxError)
  })
})
