import { expect, test } from 'vitest'
import { describeDisk } from './checkMachine.ts'
import { describeHead } from './checkPayments.ts'

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
