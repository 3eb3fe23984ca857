import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Fact } from '../../../domain/facts/facts.ts'
import { StoreOpenError, StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import { countName } from '../../../domain/publish/hostIndex.ts'
import type { Store } from '../../../ports/store.ts'
import { createEmbeddedStore } from '../embedded/createEmbeddedStore.ts'
import { createMemoryStore } from '../memory/createMemoryStore.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { recordOf } from './oldLine.ts'
import { createCallParser } from './readSegment.ts'
import { allLooks, carryTime, segmentPath, unpackOldFolder } from './testing/oldFolder.ts'
import { needsUpgrade, upgradeFolder } from './upgradeFolder.ts'

const scratch = useScratchFolder()
const carry = carryTime

/** Opens stores that outlive their closing, and keeps the last one. */
function memory() {
  const opened: Store[] = []
  const open = async (directory: string) => {
    await writeFile(join(directory, 'store'), 'the new store')
    const store = createMemoryStore({ now: () => 0 })
    opened.push(store)
    return store
  }
  return { open, last: () => opened.at(-1) ?? createMemoryStore() }
}

/** Reads all records of the log, with the reader alone. */
async function oldRecords() {
  const calls = createCallParser().push(await readFile(segmentPath(scratch(), 1)))
  return calls.flatMap(({ lines }) => lines.map(recordOf))
}

/** Opens stores in memory or on disk; `last` is the one with the records. */
const engines = {
  memory: async () => {
    const { open, last } = memory()
    return { open, last: async () => last() }
  },
  embedded: async () => {
    const open = (directory: string) => createEmbeddedStore({ directory, carry, now: () => 0 })
    return { open, last: () => open(scratch()) }
  },
}

test.each(Object.entries(engines))(
  'default: every record of a folder of version 0.1 arrives (%s)',
  async (_, engine) => {
    const expected = await unpackOldFolder(scratch())
    const records = await oldRecords()
    const facts = records.flatMap((record) => (record.type === 'fact' ? [record.data] : []))
    const { open, last } = await engine()
    expect(await needsUpgrade(scratch())).toBe(true)
    const upgraded = await upgradeFolder({ directory: scratch(), open, carry })
    expect(upgraded).toMatchObject({ claims: 1, hosts: 21, endpoints: 21, folded: 0, unreadable: [] })
    const counts = Object.entries(upgraded?.facts ?? {}).map(([kind, count]) => [`fact:${kind}`, count])
    expect({ ...Object.fromEntries(counts), host: 846, claim: 3 }).toEqual(expected.records)

    const store = await last()
    const of = <K extends Fact['kind']>(kind: K) =>
      facts.filter((fact): fact is Extract<Fact, { kind: K }> => fact.kind === kind)
    for (const wanted of expected.endpoints) {
      const isHere = (fact: { endpoint: string }) => fact.endpoint === wanted.endpoint
      const looks = await allLooks(store, wanted.endpoint)
      expect(looks).toEqual(of('observation').filter(isHere))
      const document = await store.endpoint(wanted.endpoint)
      expect(document?.state).toMatchObject(wanted)
      expect(document?.carried.lastAt).toBe(looks.at(-1)?.at ?? 0)
      expect((await store.endpointFacts(wanted.endpoint)).listings).toEqual(of('listing').filter(isHere))
      const { host } = new URL(wanted.endpoint)
      const control = of('observation').findLast((look) => look.host === host && look.purpose === 'control')
      expect((await store.hostFacts(host)).control).toEqual(control)
    }
    for (const { network, address } of of('receiver')) {
      const records = of('receiver').filter((one) => one.network === network && one.address === address)
      const known = await store.receiver(network, address)
      expect([known[0], known.at(-1)]).toEqual([records[0], records.at(-1)])
    }
    const all = { since: 0, limit: 1000 }
    expect(new Set((await store.changes(all)).records.map(({ id }) => id))).toEqual(
      new Set(of('change').map(({ change }) => change.id)),
    )
    expect(new Set((await store.incidents(all)).records.map(({ id }) => id))).toEqual(
      new Set(of('incident').map(({ incident }) => incident.id)),
    )
    expect((await store.reports()).map(({ date }) => date)).toEqual(
      [...new Set(of('report').map(({ report }) => report.date))].sort(),
    )
    const [announcement] = of('announcement')
    expect((await store.hostFacts(announcement?.host ?? '')).announcements).toEqual([announcement])
    const claim = records.findLast((record) => record.type === 'claim')?.data
    expect(claim && (await store.claims.get(claim))).toEqual(claim)
    expect(await store.count(countName('hosts', 'all'))).toBe(21)
    await store.close()
  },
)

test('behavior: keeps the old records, and everything else in the folder', async () => {
  await unpackOldFolder(scratch())
  const keys = await readFile(join(scratch(), 'signing-keys.json'))
  await writeFile(join(scratch(), 'lock.3'), '{"released":true}')
  const log = await readFile(segmentPath(scratch(), 1))
  const { open } = memory()
  await upgradeFolder({ directory: scratch(), open, carry })
  expect((await readdir(scratch())).sort()).toEqual([
    'mcp-audits.jsonl',
    'signing-keys.json',
    'store',
    'upgraded-0.1',
  ])
  expect(await readFile(join(scratch(), 'signing-keys.json'))).toEqual(keys)
  const kept = await readFile(segmentPath(join(scratch(), 'upgraded-0.1'), 1))
  expect(kept.equals(log)).toBe(true)
  expect(await readdir(join(scratch(), 'upgraded-0.1', 'documents'))).toHaveLength(18)
  expect(await needsUpgrade(scratch())).toBe(false)
  expect(await upgradeFolder({ directory: scratch(), open, carry })).toBeUndefined()
})

test('behavior: an interrupted upgrade leaves the old records in place and starts over', async () => {
  await unpackOldFolder(scratch())
  const before = (await readdir(scratch())).sort()
  const failing = async () => {
    const store = createMemoryStore()
    let writes = 0
    return {
      ...store,
      append: (facts: readonly Fact[]) =>
        ++writes > 9 ? Promise.reject(new StoreUnavailableError('disk full')) : store.append(facts),
    }
  }
  await expect(upgradeFolder({ directory: scratch(), open: failing, carry })).rejects.toThrow('disk full')
  expect((await readdir(scratch())).filter((name) => !name.endsWith('.tmp')).sort()).toEqual(before)
  expect(await needsUpgrade(scratch())).toBe(true)
  const { open } = memory()
  const upgraded = await upgradeFolder({ directory: scratch(), open, carry })
  expect(upgraded).toMatchObject({ hosts: 21, facts: { observation: 1114 } })
})

test('behavior: an upgrade that stopped amid moving files continues', async () => {
  await unpackOldFolder(scratch())
  for (const folder of ['upgrade-complete', 'upgraded-0.1']) await mkdir(join(scratch(), folder))
  await writeFile(join(scratch(), 'upgrade-complete', 'rest'), 'of the new store')
  expect(await needsUpgrade(scratch())).toBe(true)
  const { open } = memory()
  expect(await upgradeFolder({ directory: scratch(), open, carry })).toBeUndefined()
  expect(await readFile(join(scratch(), 'rest'), 'utf8')).toBe('of the new store')
  expect((await readdir(join(scratch(), 'upgraded-0.1'))).sort()).toEqual(['documents', 'log'])
  expect(await needsUpgrade(scratch())).toBe(false)
})

test('error: reports damaged and torn records, and copies the others', async () => {
  await unpackOldFolder(scratch())
  const path = segmentPath(scratch(), 1)
  const log = await readFile(path)
  // One changed digit: still valid JSON.
  const at = log.indexOf('"latencyMs":') + 12
  log[at] = log[at] === 0x31 ? 0x32 : 0x31
  await writeFile(path, log.subarray(0, -100))
  const lines: string[] = []
  const { open } = memory()
  const upgraded = await upgradeFolder({
    directory: scratch(),
    open,
    carry,
    onLine: (line) => lines.push(line),
  })
  expect(upgraded?.unreadable).toEqual([
    { path, bytes: expect.any(Number), kind: 'damaged' },
    { path, bytes: expect.any(Number), kind: 'torn' },
  ])
  expect(upgraded?.facts.observation).toBeLessThan(1114)
  expect(upgraded?.facts.observation).toBeGreaterThan(1110)
  expect(lines).toEqual([
    expect.stringMatching(/bytes of .*00000001\.ndjson are damaged and were not copied; the file is kept$/),
    expect.stringMatching(/00000001\.ndjson ends with \d+ bytes of a write that never finished$/),
  ])
})

test('error: refuses a newer log, and a folder whose old records would be overwritten', async () => {
  await unpackOldFolder(scratch())
  const { open } = memory()
  const path = segmentPath(scratch(), 1)
  const log = await readFile(path)
  await writeFile(path, '{"v":2,"seq":1,"part":0,"parts":1,"crc":"00000000","type":"fact","data":{}}\n')
  await expect(upgradeFolder({ directory: scratch(), open, carry })).rejects.toThrow(StoreOpenError)
  await writeFile(path, log)
  await mkdir(join(scratch(), 'upgraded-0.1'))
  await expect(upgradeFolder({ directory: scratch(), open, carry })).rejects.toThrow(/is there already/)
})

test('error: refuses a folder that a process of version 0.1 uses', async () => {
  await unpackOldFolder(scratch())
  const beat = () => writeFile(join(scratch(), 'lock.2'), '{"pid":1}')
  await beat()
  const timer = setInterval(() => void beat(), 700)
  const { open } = memory()
  await expect(upgradeFolder({ directory: scratch(), open, carry })).rejects.toThrow(
    /A process of version 0.1 uses/,
  )
  clearInterval(timer)
})
