import { FREE_OPERATIONS, OPERATIONS, PAID_OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { DAY, HOUR } from '../facts/times.ts'
import { judge, listing, record, series, T0, up } from '../judge/testing/facts.ts'
import { toMapEntry } from '../map/model/toMapEntry.ts'
import { decisionLeaf } from '../publish/leaves.ts'
import { writeObservation } from '../publish/publishedObservation.ts'

/** A property of each kind of data that the datasets alone hold in bulk. */
const MARKS = ['receipts90d', 'payers90d', 'payToHistory', 'priceHistory', 'installScripts']

/** Places where free answers hold a few records: previews and samples. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  status: ['dataset.preview'],
  data: ['samples', 'mcpServers', 'schema', 'schemas'],
  dataSample: ['service', 'mcpServer'],
  mcpReport: ['live.riskySample'],
}

/** Returns the path of each property of a JSON Schema. */
function pathsOf(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key !== 'properties') return pathsOf(value, path)
    return Object.entries(value as object).flatMap(([name, of]) => {
      const own = path === '' ? name : `${path}.${name}`
      return [own, ...pathsOf(of, own)]
    })
  })
}

const marked = (id: keyof typeof OPERATIONS) =>
  OPERATIONS[id].response
    .flatMap((schema) => pathsOf(z.toJSONSchema(schema, { reused: 'inline', unrepresentable: 'any' }), ''))
    .filter((path) => MARKS.includes(path.split('.').at(-1) ?? ''))

test('default: the paid datasets hold what free answers hold of a few services at most', () => {
  expect(PAID_OPERATIONS.flatMap(marked).map((path) => path.split('.').at(-1))).toEqual(
    expect.arrayContaining(MARKS),
  )
  for (const id of FREE_OPERATIONS) {
    const samples = SAMPLES[id] ?? []
    const bulk = marked(id).filter((path) => !samples.some((sample) => path.startsWith(`${sample}.`)))
    expect([id, bulk]).toEqual([id, []])
  }
})

test('behavior: decisions of the log, published probes and the map hold none of it', () => {
  const probes = series(T0, 30, 3 * HOUR, (at, client) =>
    up(at, { client, amount: at > T0 + DAY ? '20000' : '10000' }),
  )
  const { state } = judge(probes, { listings: [listing(T0)], recordsOf: () => [record(T0 + 3 * DAY)] })
  expect(state.priceHistory).toHaveLength(2)
  const leaf = decisionLeaf(undefined, state, () => 'AAAAAAAAAAAAAAAAAAAAAA==')
  const published = [
    leaf?.leaf,
    leaf?.opening,
    JSON.stringify(toMapEntry(state, state.derivedAt)),
    ...probes.map(writeObservation),
  ]
  for (const text of published) for (const mark of MARKS) expect(text).not.toContain(mark)
})
