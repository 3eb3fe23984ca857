import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeLines, type LogLine } from './logLine.ts'
import { readCalls } from './readCalls.ts'

const record = fc.record({
  type: fc.constantFrom('fact', 'claim', 'host', 'daily', 'fold'),
  json: fc.json({ maxDepth: 1 }),
}) satisfies fc.Arbitrary<Pick<LogLine, 'type' | 'json'>>
const calls = fc.array(fc.array(record, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 })

function read(segment: Buffer) {
  const found: { seq: number; records: unknown }[] = []
  const reading = readCalls(segment, ({ seq, lines }) => {
    found.push({ seq, records: lines.map(({ type, json }) => ({ type, json })) })
  })
  return { found, ...reading }
}

const written = (all: Pick<LogLine, 'type' | 'json'>[][]) =>
  all.map((records, index) => ({ seq: index + 1, records }))
const encode = (all: Pick<LogLine, 'type' | 'json'>[][]) =>
  written(all).map(({ seq }) => Buffer.from(encodeLines(seq, all[seq - 1] ?? [])))

test('default: reads back the calls that were written', () => {
  fc.assert(
    fc.property(calls, (all) => {
      const segment = Buffer.concat(encode(all))
      const whole = { found: written(all), end: segment.length, damagedBytes: 0, tailBytes: 0, newer: false }
      expect(read(segment)).toEqual(whole)
    }),
  )
})

test('behavior: a segment cut at any byte yields exactly the calls before the cut', () => {
  fc.assert(
    fc.property(calls, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
      const parts = encode(all)
      const segment = Buffer.concat(parts)
      const size = Math.floor(segment.length * share)
      let end = 0
      let whole = 0
      // Stop at the first call that does not fit; a shorter one after it is cut too.
      for (const { length } of parts) {
        if (end + length > size) break
        end += length
        whole++
      }
      const { found, tailBytes, damagedBytes } = read(segment.subarray(0, size))
      expect(found).toEqual(written(all).slice(0, whole))
      expect([tailBytes, damagedBytes]).toEqual([size - end, 0])
    }),
  )
})

test('behavior: a segment with overwritten bytes yields the untouched calls and nothing else', () => {
  const hits = fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(calls, hits, (all, overwritten) => {
      const parts = encode(all)
      const segment = Buffer.concat(parts)
      const original = Buffer.from(segment)
      for (const { at, byte } of overwritten) segment[at % segment.length] = byte
      let from = 0
      const untouched = written(all).filter((_, index) => {
        const to = from + (parts[index]?.length ?? 0)
        const isSame = segment.subarray(from, to).equals(original.subarray(from, to))
        from = to
        return isSame
      })
      const { found } = read(segment)
      // An overwritten line break merges two lines and so damages both calls.
      const possible = written(all)
      for (const call of found) expect(possible).toContainEqual(call)
      if (overwritten.every(({ at }) => original[at % original.length] !== 10)) {
        for (const call of untouched) expect(found).toContainEqual(call)
      }
    }),
  )
})
