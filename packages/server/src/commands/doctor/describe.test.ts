import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { anEnvironment } from '../../config/testing.ts'
import { openDatabase } from '../../lib/database.ts'
import { openStore } from '../../services/openStore.ts'
import { FORMAT } from '../../store/migrations.ts'
import { toKysely } from '../../store/sqliteFile.ts'
import { formatFile, layFormat, makeNewer } from '../../store/testing/formats/formats.ts'
import { useScratchFolder } from '../../store/testing/scratch.ts'
import { checkMachine, describeDisk } from './checkMachine.ts'
import { describeHead } from './checkPayments.ts'
import { runChecks } from './finding.ts'

const MB = 1024 * 1024
const disk = (freeBytes: number) => describeDisk({ freeBytes, finding: null }, '/data')

test('default: a disk has room for the caches, or as much as a start needs', () => {
  expect(disk(20_000 * MB)).toEqual({ level: 'ok', text: '20000 MB free for DATA_DIR /data' })
  expect(disk(600 * MB).level).toBe('warn')
  expect(disk(511 * MB)).toEqual({
    level: 'fail',
    text: '511 MB free for DATA_DIR /data: at least 512 MB are needed, 12 GB are better',
  })
})

test('error: a disk that does not tell, and one that the running service calls full', () => {
  expect(disk(Number.NaN)).toEqual({
    level: 'warn',
    text: 'the free space for DATA_DIR /data is unknown: see that it has 12 GB',
  })
  const finding = { level: 'down' as const, status: 'disk full', sentence: 'the disk of DATA_DIR is full' }
  expect(describeDisk({ freeBytes: 0, finding }, '/data').level).toBe('fail')
})

test('default: the newest block of a chain is from now or before', () => {
  const head = (seconds: number) => ({ number: 7, atMs: 1_000_000, readAtMs: 1_000_000 + seconds * 1000 })
  expect(describeHead('rpc is on chain 1', head(3))).toEqual({
    level: 'ok',
    text: 'rpc is on chain 1, block 7, 3 s old',
  })
  expect(describeHead('rpc is on chain 1', head(-30))).toMatchObject({ level: 'ok' })
  expect(describeHead('rpc is on chain 1', head(-31))).toEqual({
    level: 'fail',
    text: "rpc is on chain 1, block 7 is 31 s in the future: set this machine's clock, by NTP",
  })
  expect(describeHead('rpc is on chain 1', undefined).level).toBe('fail')
})

const scratch = useScratchFolder()

/** Returns what the doctor says of the store in the folder. */
async function examineStore(dataDir: string) {
  const read = readConfig(anEnvironment({ DATA_DIR: dataDir }))
  if (!read.ok) throw new Error(read.problems.join('\n'))
  const checks = checkMachine(read.config).filter(({ name }) => name === 'store')
  const [found] = await runChecks(checks)
  return [found?.level, found?.text]
}

test('behavior: tells a store of this version from an older one, a newer one and none, and changes none', async () => {
  expect(await examineStore(scratch())).toEqual(['ok', 'there is none yet'])
  await layFormat(FORMAT - 1, scratch())
  expect(await examineStore(scratch())).toEqual([
    'warn',
    `${scratch()} has format ${FORMAT - 1}; the start changes it to ${FORMAT}, which the version before it refuses: make a back-up first`,
  ])
  expect(await readdir(scratch())).toEqual(['touchstone.db'])
  await (await openStore({ databaseUrl: null, dataDir: scratch() })).close()
  expect(await examineStore(scratch())).toEqual(['ok', 'it has the format of this version'])
  const database = openDatabase(formatFile(scratch()))
  await makeNewer(toKysely(database), FORMAT + 1)
  database.close()
  expect(await examineStore(scratch())).toEqual([
    'fail',
    expect.stringContaining(
      `${scratch()} was made by a newer version of this program, in format ${FORMAT + 1}`,
    ),
  ])
})
