import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import { foldDays } from '../../../domain/facts/dailyMeasurements.ts'
import { DAY } from '../../../domain/facts/times.ts'
import { createMemoryStore } from '../memory/createMemoryStore.ts'
import { anObservation, documentOf, NOON } from '../testing/records.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { createCallParser, type OldCall } from './readSegment.ts'
import { allLooks, carryTime, encodeCall, writeOldDocuments, writeOldLog } from './testing/oldFolder.ts'
import { upgradeFolder } from './upgradeFolder.ts'

const scratch = useScratchFolder()
const ENDPOINT = 'https://api.example/a'
const look = (id: string, at: number) => ({ type: 'fact', data: anObservation({ id, at }) }) as const
const day = (date: string, up: number): DailyMeasurements => ({
  endpoint: ENDPOINT,
  host: 'api.example',
  date,
  up,
  down: 0,
  notMeasured: 0,
  latencyMsP50: 40,
  latencyMsP90: 50,
})
const host = (at: number) => ({ type: 'host', data: documentOf('api.example', at) }) as const

async function upgrade() {
  const store = createMemoryStore()
  const upgraded = await upgradeFolder({
    directory: scratch(),
    open: async () => store,
    carry: (before, looks) => ({ ...carryTime(before, looks), days: foldDays(looks) }),
  })
  const looks = await allLooks(store, ENDPOINT)
  return { store, upgraded, ids: looks.map(({ id }) => id) }
}

test('behavior: folded looks stay folded, kept ones stay, and sums of folded days stand', async () => {
  await writeOldLog(scratch(), [
    encodeCall(1, [look('a', NOON), look('b', NOON + 1), look('c', NOON + 2), look('d', NOON + DAY)]) +
      encodeCall(2, [host(NOON + 5)]),
    encodeCall(3, [
      { type: 'fold', data: { host: 'api.example', before: NOON + DAY / 2 } },
      { type: 'daily', data: day('2026-06-01', 3) },
      look('a', NOON),
      look('c', NOON + 2),
    ]) + encodeCall(4, [look('late', NOON + 3)]),
  ])
  const { store, upgraded, ids } = await upgrade()
  expect(ids).toEqual(['a', 'c', 'late', 'd'])
  expect(upgraded).toMatchObject({ folded: 3, days: 1, hosts: 1 })
  expect((await store.days(ENDPOINT)).map(({ date, up }) => [date, up])).toEqual([
    ['2026-06-01', 3],
    ['2026-06-02', 1],
  ])
})

test('behavior: parts of a day that were folded apart are added up', async () => {
  const fold = { type: 'fold', data: { host: 'api.example', before: NOON + DAY } } as const
  await writeOldLog(scratch(), [
    encodeCall(1, [fold, { type: 'daily', data: day('2026-06-01', 3) }]) +
      encodeCall(2, [fold, { type: 'daily', data: day('2026-06-01', 4) }]) +
      encodeCall(3, [host(NOON)]),
  ])
  const { store } = await upgrade()
  expect(await store.days(ENDPOINT)).toMatchObject([{ date: '2026-06-01', up: 7 }])
})

test('behavior: the newest document counts, from the log or from its file', async () => {
  await writeOldLog(scratch(), [encodeCall(5, [host(NOON)]) + encodeCall(7, [host(NOON + 7)])])
  for (let part = 0; part < 256; part++) {
    await writeOldDocuments(scratch(), part, [{ seq: 6, document: documentOf(`part${part}.example`, NOON) }])
  }
  await writeFile(join(scratch(), 'documents', '003.json'), 'damaged')
  const { store, upgraded } = await upgrade()
  expect((await store.endpoint(ENDPOINT))?.state.derivedAt).toBe(NOON + 7)
  expect(upgraded).toMatchObject({ hosts: 256, unreadable: [{ kind: 'damaged', bytes: 0 }] })
})

test('behavior: a segment in chunks of any size gives the same calls', () => {
  const whole = Buffer.from(
    [1, 2, 3].map((seq) => encodeCall(seq, [look(`é${seq}`, NOON), look(`𝄞${seq}`, NOON)])).join('') +
      'damaged\n' +
      encodeCall(4, [look('d', NOON)]) +
      encodeCall(5, [look('e', NOON)]).slice(0, -9),
  )
  const read = (sizes: readonly number[]) => {
    const parser = createCallParser()
    const calls: OldCall[] = []
    let start = 0
    for (const size of sizes) {
      calls.push(...parser.push(whole.subarray(start, start + size)))
      start += size
    }
    calls.push(...parser.push(whole.subarray(start)))
    return { calls, left: parser.leftover() }
  }
  const expected = read([])
  expect(expected.calls.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  expect(expected.left).toMatchObject({ damagedBytes: 8, newer: false })
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 700 })), (sizes) => {
      expect(read(sizes)).toEqual(expected)
    }),
  )
})
