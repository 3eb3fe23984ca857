import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHalvedSize } from '../rpc/halvedSize.ts'
import { createLearnedLimits, type LearnedLimits } from '../rpc/learnedLimits.ts'
import type { SizeRefusal } from '../rpc/refusal.ts'
import type { BlockRange } from '../types.ts'
import { createRangePlanner } from './rangePlanner.ts'

const UNCLEAR = { kind: 'unclear', max: null, suggested: null } as const

type Provider = {
  readonly perBlock: readonly number[]
  readonly maxBlocks?: number
  readonly maxResults?: number
  readonly says?: 'nothing' | 'cap' | 'range' | 'same' | 'inverted'
}

function count(perBlock: readonly number[], range: BlockRange) {
  let sum = 0
  for (let block = range.from; block <= range.to; block++) sum += perBlock[block] ?? 0
  return sum
}

function refuse(provider: Provider, range: BlockRange): SizeRefusal | null {
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

/** Reads all blocks sequentially and returns the number of requests. */
function read(provider: Provider, limits: LearnedLimits = createLearnedLimits()) {
  const planner = createRangePlanner(limits)
  const last = provider.perBlock.length - 1
  let requests = 0
  let from = 0
  let rows = 0
  while (from <= last) {
    if (++requests > 20_000) throw new Error('the read does not end')
    const range = planner.plan({ from, to: last })
    expect(range.from).toBe(from)
    expect(range.to).toBeLessThanOrEqual(last)
    expect(range.to).toBeGreaterThanOrEqual(from)
    const refusal = refuse(provider, range)
    if (refusal !== null) {
      if (!planner.refused(range, refusal)) throw new Error('a single block is too large')
      continue
    }
    const got = count(provider.perBlock, range)
    let near = range.to
    let tail = 0
    while (near > range.from && tail < got / 10) tail += provider.perBlock[near--] ?? 0
    rows += got
    planner.succeeded(range, got, tail / Math.max(1, range.to - near))
    from = range.to + 1
  }
  return { requests, rows }
}

/** Fewest requests possible if every block were known in advance. */
function lowerBound({ perBlock, maxBlocks = Infinity, maxResults = Infinity }: Provider) {
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

describe('createRangePlanner', () => {
  test('default: plans the whole gap while no limit is known', () => {
    const planner = createRangePlanner(createLearnedLimits())
    expect(planner.plan({ from: 5, to: 900 })).toEqual({ from: 5, to: 900 })
  })

  for (const [shape, make] of Object.entries(windows))
    for (const [kind, cap] of Object.entries(caps))
      for (const says of ['cap', 'range', 'nothing'] as const)
        test(`behavior: stays near the fewest requests: ${shape} transfers, cap on ${kind}, provider says ${says}`, () => {
          const provider = { perBlock: make(), ...cap, says }
          const { requests, rows } = read(provider)
          expect(rows).toBe(count(provider.perBlock, { from: 0, to: provider.perBlock.length - 1 }))
          const bound = lowerBound(provider)
          // Without a suggested range, the start of a burst takes about seven queries to find.
          const slack =
            says === 'range' || (says === 'cap' && shape !== 'bursty') || kind === 'blocks' ? 1.3 : 1.8
          expect(requests).toBeLessThanOrEqual(slack * bound + 5)
        })

  test('behavior: reads everything in bounded requests for any suggestion', () => {
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

  test('behavior: halves a range that is refused without a known reason, and grows back after successes alone', () => {
    const planner = createRangePlanner(createLearnedLimits())
    const gap = { from: 0, to: 2 ** 22 - 1 }
    const sizes: number[] = []
    const next = (isRefused: boolean) => {
      const range = planner.plan(gap)
      sizes.push(range.to + 1)
      if (isRefused) expect(planner.refused(range, UNCLEAR)).toBe(true)
      else planner.succeeded(range, 0, 0)
    }
    for (let i = 0; i < 3; i++) next(true)
    for (let i = 0; i < 4; i++) next(false)
    next(true)
    for (let i = 0; i < 16; i++) next(false)
    next(false)
    const [all, half] = [2 ** 22, 2 ** 19]
    expect(sizes.slice(0, 3)).toEqual([all, all / 2, all / 4])
    expect(sizes.slice(3, 8)).toEqual([half, half, half, half, 2 * half])
    expect(sizes.slice(8)).toEqual([...Array.from({ length: 16 }, () => half), 2 * half])
  })

  test('error: gives up after 12 halvings without a success, and forgets them', () => {
    const limits = createLearnedLimits()
    const halved = createHalvedSize()
    const planner = createRangePlanner(limits, halved)
    const gap = { from: 0, to: 2 ** 22 - 1 }
    let refusals = 0
    while (planner.refused(planner.plan(gap), UNCLEAR)) refusals++
    expect(refusals).toBe(12)
    expect(createRangePlanner(limits, halved).plan(gap)).toEqual(gap)
  })

  test('error: reports that a single block cannot shrink', () => {
    const planner = createRangePlanner(createLearnedLimits())
    const range = planner.plan({ from: 7, to: 7 })
    expect(planner.refused(range, { kind: 'results', max: null, suggested: { from: 7, to: 7 } })).toBe(false)
  })
})
