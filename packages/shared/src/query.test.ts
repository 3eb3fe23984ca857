import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OPERATIONS } from './contract.ts'
import { encodeCursor } from './feedCursor.ts'
import { parseQuery, type QueryParameter } from './query.ts'

const { required: _, ...endpoint } = OPERATIONS.verify.query.endpoint
const everything: Record<string, QueryParameter> = {
  ...OPERATIONS.incidents.query,
  endpoint,
  token: { kind: 'address', description: '' },
  min: { kind: 'decimal', description: '' },
  window: { kind: 'choice', choices: ['5m', '1h'], default: '1h', description: '' },
  all: { kind: 'flag', description: '' },
}

const lines = readFileSync(new URL('../fixtures/malformed-queries.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

describe('parseQuery', () => {
  test('default: fills in the defaults', () => {
    expect(parseQuery(OPERATIONS.incidents.query, '')).toEqual({ ok: true, value: { days: 30, limit: 100 } })
    expect(parseQuery(everything, 'all=1&window=5m&min=0.5&unknown[]=1')).toMatchObject({
      ok: true,
      value: { all: true, window: '5m', min: '0.5' },
    })
  })

  test('behavior: clamps a limit above the maximum, but rejects too many days', () => {
    expect(parseQuery(everything, 'limit=5000')).toMatchObject({ value: { limit: 1000 } })
    expect(parseQuery(everything, 'days=366')).toMatchObject({ errors: [{ code: 'out_of_range' }] })
    expect(parseQuery(everything, 'limit=0')).toMatchObject({ errors: [{ code: 'out_of_range' }] })
  })

  test('behavior: reads names of packages in any order, and refuses what is none', () => {
    const { packages } = OPERATIONS.mcpDrift.query
    const read = (text: string) => parseQuery({ packages }, `packages=${encodeURIComponent(text)}`)
    expect(read('left-pad,@scope/a.b,left-pad')).toEqual({
      ok: true,
      value: { packages: '@scope/a.b,left-pad' },
    })
    const many = Array.from({ length: 51 }, (_, index) => `p${index}`).join(',')
    for (const bad of ['', 'a b', 'a,,b', '../up', '@scope', '.hidden', 'a'.repeat(215), many])
      expect([bad, read(bad)]).toEqual([bad, expect.objectContaining({ ok: false })])
  })

  test('behavior: a start is a day or a time in UTC, and nothing else', () => {
    const read = (text: string) => {
      const parsed = parseQuery(OPERATIONS.incidents.query, `since=${encodeURIComponent(text)}`)
      return parsed.ok ? parsed.value.since : parsed.errors
    }
    expect(read('2026-01-31')).toBe('2026-01-31T00:00:00.000Z')
    expect(read('2026-01-31T12:00:00Z')).toBe('2026-01-31T12:00:00.000Z')
    expect(read('2026-01-31T12:00:00.120Z')).toBe('2026-01-31T12:00:00.120Z')
    const bad = [
      '',
      'yesterday',
      '2026-02-30',
      '2026-01-31T12:00:00',
      '2026-01-31T12:00:00+02:00',
      '1790000000',
    ]
    for (const text of [...bad, `2026-01-31T12:00:00.${'0'.repeat(40)}Z`])
      expect([text, read(text)]).toEqual([
        text,
        [expect.objectContaining({ parameter: 'since', code: 'malformed' })],
      ])
  })

  test('behavior: a cursor is taken as it was given out, and a forged one names the parameter', () => {
    const cursor = encodeCursor({ at: 1_790_000_000_000, id: 'inc_1' })
    const read = (text: string) => parseQuery(OPERATIONS.changes.query, `cursor=${encodeURIComponent(text)}`)
    expect(read(cursor)).toMatchObject({ ok: true, value: { cursor } })
    for (const text of ['', 'x', cursor.slice(1), 'a'.repeat(5000)])
      expect(read(text)).toMatchObject({ errors: [{ parameter: 'cursor', code: 'malformed' }] })
  })

  test('behavior: returns an endpoint in canonical form', () => {
    const search = `endpoint=${encodeURIComponent('HTTPS://A.Example:443/x?y')}`
    expect(parseQuery(OPERATIONS.verify.query, search)).toEqual({
      ok: true,
      value: { endpoint: 'https://a.example/x' },
    })
  })

  test('behavior: every spelling of a value has one canonical form', () => {
    const values = (search: string) => {
      const parsed = parseQuery(everything, search)
      return parsed.ok ? parsed.value : parsed.errors
    }
    const hex = fc.stringMatching(/^[0-9a-f]{40}$/)
    const zeros = fc.nat(9).map((count) => '0'.repeat(count))
    fc.assert(
      fc.property(hex, fc.nat(), fc.nat(), zeros, fc.nat(1000), (address, whole, digits, tail, limit) => {
        const fraction = `${digits}`.replace(/0+$/, '')
        const point = fraction === '' && tail === '' ? '' : '.'
        const plain = `${whole}${fraction === '' ? '' : `.${fraction}`}`
        expect(values(`token=0x${address.toUpperCase()}&min=${whole}${point}${fraction}${tail}`)).toEqual(
          values(`min=${plain}&token=0x${address}&window=1h&all=0`),
        )
        expect(values(`min=${plain}`)).toMatchObject({ min: plain })
        expect(values(`limit=${tail}${limit}`)).toEqual(values(`limit=${limit}`))
      }),
    )
  })

  test.each(lines)('error: rejects %s, unless it is marked as ignored', (line) => {
    const ignored = line.includes('(ignored')
    const search = (line.split('\t')[0] ?? '').replace('<39 hex digits>', 'a'.repeat(39))
    const parsed = parseQuery(everything, search)
    expect(parsed.ok).toBe(ignored)
    if (!parsed.ok)
      expect(parsed.errors.map(({ parameter }) => parameter)).toEqual([search.split(/[=[&]/)[0]])
  })

  test('error: rejects a query without a required parameter', () => {
    expect(parseQuery(OPERATIONS.verify.query, 'other=1')).toMatchObject({
      errors: [{ parameter: 'endpoint', code: 'missing' }],
    })
  })

  test('behavior: ignores names of Object.prototype', () => {
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
      expect(parseQuery(everything, `${name}=1&${name}[x]=1`).ok).toBe(true)
    }
  })

  test('behavior: parses any text, and every value is within its bounds', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'limit',
        'days',
        'token',
        'min',
        'all',
        '=',
        '&',
        '[',
        ']',
        '%',
        '+',
        '0',
        '9',
        '1e9',
        '%00',
      ),
      fc.string({ maxLength: 4 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const parsed = parseQuery(OPERATIONS.incidents.query, pieces.join(''))
        if (!parsed.ok) return void expect(parsed.errors.length).toBeGreaterThan(0)
        expect(parsed.value.limit).toBeGreaterThanOrEqual(1)
        expect(parsed.value.limit).toBeLessThanOrEqual(1000)
        expect(parsed.value.days).toBeLessThanOrEqual(365)
      }),
    )
  })
})
