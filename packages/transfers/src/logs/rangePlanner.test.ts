import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLesson, type Lesson } from '../rpc/learnedLimits.ts'
import type { Refusal } from '../rpc/refusal.ts'
import type { BlockRange } from '../types.ts'
import { createPacer } from './rangePlanner.ts'

type Provider = {
  readonly perBlock: readonly number[]
  readonly maxBlocks?: number
  readonly maxResults?: number
  readonly says?: 'nothing' | 'cap' | 'range' | 'same' | 'inverted'
}

const count = (perBlock: readonly number[], range: BlockRange) => {
  let sum = 0
  for (let block = range.from; block <= range.to; block++) sum += perBlock[block] ?? 0
  return sum
}

const refuse = (
  provider: Provider,
  range: BlockRange,
): Extract<Refusal, { kind: 'blocks' | 'results' }> | null => {
  const { perBlock, maxBlocks = Infinity, maxResults = Infinity, says = 'cap' } = provider
  const talks = says === 'nothing' ? null : undefined
  if (range.to - range.from + 1 > maxBlocks)
    return { kind: 'blocks', max: talks ?? (says === 'nothing' ? null : maxBlocks), suggested: null }
  if (count(perBlock, range) <= maxResults) return null
  let to = range.from
  let held = perBlock[to] ?? 0
  while (held + (perBlock[to + 1] ?? 0) <= maxResults) held += perBlock[++to] ?? 0
  const suggested =
    says === 'range'
      ? { from: range.from, to }
      : says === 'same'
        ? range
        : says === 'inverted'
          ? { from: range.to, to: range.from }
          : null
  return { kind: 'results', max: says === 'cap' ? maxResults : null, suggested }
}

/** Reads all blocks as the reader does, one at a time, and returns the requests it took. */
const read = (provider: Provider, lesson: Lesson = createLesson()) => {
  const pacer = createPacer(lesson)
  const last = provider.perBlock.length - 1
  let requests = 0
  let from = 0
  let rows = 0
  while (from <= last) {
    if (++requests > 20_000) throw new Error('does not end')
    const range = pacer.plan({ from, to: last })
    expect(range.from).toBe(from)
    expect(range.to).toBeLessThanOrEqual(last)
    expect(range.to).toBeGreaterThanOrEqual(from)
    const refusal = refuse(provider, range)
    if (refusal !== null) {
      if (!pacer.refused(range, refusal)) throw new Error('one block is too much')
      continue
    }
    const got = count(provider.perBlock, range)
    let near = range.to
    let tail = 0
    while (near > range.from && tail < got / 10) tail += provider.perBlock[near--] ?? 0
    rows += got
    pacer.succeeded(range, got, tail / Math.max(1, range.to - near))
    from = range.to + 1
  }
  return { requests, rows }
}

/** Fewest requests that anyone who knew every block beforehand would need. */
const lowerBound = ({ perBlock, maxBlocks = Infinity, maxResults = Infinity }: Provider) => {
  let requests = 1
  let held = 0
  let blocks = 0
  for (const rows of perBlock) {
    if (held + rows > maxResults || blocks + 1 > maxBlocks) {
      requests++
      held = 0
      blocks = 0
    }
    held += rows
    blocks++
  }
  return requests
}

const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}
const windows = {
  dense: () => {
    const next = random(1)
    return Array.from({ length: 20_000 }, () => Math.floor(30 + next() * 60))
  },
  sparse: () => {
    const next = random(2)
    return Array.from({ length: 43_200 }, () => (next() < 0.05 ? 1 : 0))
  },
  bursty: () => {
    const next = random(3)
    let left = 0
    return Array.from({ length: 20_000 }, () => {
      if (left === 0 && next() < 0.0004) left = 300 + Math.floor(next() * 900)
      if (left > 0) left--
      return left > 0 ? Math.floor(200 + next() * 200) : Math.floor(next() * 8)
    })
  },
}
const caps = {
  results: { maxResults: 10_000 },
  blocks: { maxBlocks: 500 },
  both: { maxBlocks: 2_000, maxResults: 10_000 },
}

describe('createPacer', () => {
  test('default', () => {
    const pacer = createPacer(createLesson())
    expect(pacer.plan({ from: 5, to: 900 })).toEqual({ from: 5, to: 900 })
  })

  for (const [shape, make] of Object.entries(windows))
    for (const [kind, cap] of Object.entries(caps))
      for (const says of ['cap', 'range', 'nothing'] as const)
        test(`behavior: few requests, ${shape} under ${kind}, provider says ${says}`, () => {
          const provider = { perBlock: make(), ...cap, says }
          const { requests, rows } = read(provider)
          expect(rows).toBe(count(provider.perBlock, { from: 0, to: provider.perBlock.length - 1 }))
          const bound = lowerBound(provider)
          // Without a suggested range, where a burst begins takes some seven questions to find out.
          const slack =
            says === 'range' || (says === 'cap' && shape !== 'bursty') || kind === 'blocks' ? 1.3 : 1.8
          expect(requests).toBeLessThanOrEqual(slack * bound + 5)
        })

  test('behavior: ends, whatever is suggested', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 300 }),
        fc.constantFrom('nothing', 'cap', 'range', 'same', 'inverted'),
        fc.integer({ min: 50, max: 400 }),
        fc.integer({ min: 1, max: 100 }),
        (perBlock, says, maxResults, maxBlocks) => {
          const { rows, requests } = read({ perBlock, says, maxResults, maxBlocks })
          expect(rows).toBe(perBlock.reduce((sum, value) => sum + value, 0))
          expect(requests).toBeLessThanOrEqual(4 * perBlock.length + 20)
        },
      ),
    )
  })

  test('error: one block too much', () => {
    const pacer = createPacer(createLesson())
    const range = pacer.plan({ from: 7, to: 7 })
    expect(pacer.refused(range, { kind: 'results', max: null, suggested: { from: 7, to: 7 } })).toBe(false)
  })
})
