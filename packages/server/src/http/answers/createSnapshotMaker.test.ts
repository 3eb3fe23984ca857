import { expect, onTestFinished, test, vi } from 'vitest'
import { SnapshotsFullError } from '../../facts/storeError.ts'
import { createSnapshotMaker } from './createSnapshotMaker.ts'
import type { Snapshot } from './snapshots.ts'

function setUp(write?: () => Promise<Snapshot>) {
  const written: string[] = []
  const snapshots = {
    write:
      write ??
      (async (chunks: AsyncIterable<string>): Promise<Snapshot> => {
        for await (const chunk of chunks) written.push(chunk)
        return { kind: 'snapshot', id: `s${written.length}`, bytes: 0 }
      }),
  }
  const maker = createSnapshotMaker(snapshots)
  const make = (name: string) =>
    maker.make(name, async function* () {
      yield name
    })
  return { make, written }
}

test('default: equal requests within a minute share a snapshot', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { make, written } = setUp()
  const [a, b] = await Promise.all([make('a'), make('a')])
  expect(a).toBe(b)
  vi.advanceTimersByTime(59_999)
  expect(await make('a')).toBe(a)
  vi.advanceTimersByTime(1)
  expect((await make('a')).id).toBe('s2')
  expect((await make('b')).id).toBe('s3')
  expect(written).toEqual(['a', 'a', 'b'])
})

test('error: a failed snapshot is retried', async () => {
  let times = 0
  const { make } = setUp(async () => {
    if (times++ === 0) throw new Error('disk')
    return { kind: 'snapshot', id: 'second', bytes: 0 }
  })
  await expect(make('a')).rejects.toThrow('disk')
  expect((await make('a')).id).toBe('second')
})

test('error: a full disk is 503 with Retry-After', async () => {
  const { make } = setUp(() => Promise.reject(new SnapshotsFullError('full')))
  await expect(make('a')).rejects.toMatchObject({
    refusal: { status: 503, code: 'datasets_full', retryAfterSeconds: 3600 },
  })
})

test('error: requests beyond the queue are 503, and queued ones are written one at a time', async () => {
  const running = { now: 0, most: 0 }
  const { make } = setUp(async () => {
    running.now++
    running.most = Math.max(running.most, running.now)
    await new Promise((resolve) => setTimeout(resolve, 2))
    running.now--
    return { kind: 'snapshot', id: 'x', bytes: 0 }
  })
  const wishes = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => make(`${index}`)))
  expect(wishes.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 8 }, () => 'fulfilled'),
    'rejected',
    'rejected',
  ])
  expect(running.most).toBe(1)
  expect(wishes[9]).toMatchObject({ reason: { refusal: { status: 503, code: 'datasets_busy' } } })
  expect((await make('8')).id).toBe('x')
})
