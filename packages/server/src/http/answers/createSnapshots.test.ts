import { readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { SnapshotsFullError } from '../../facts/storeError.ts'
import { useScratchFolder } from '../../store/testing/scratch.ts'
import { createSnapshots } from './createSnapshots.ts'
import type { Snapshots } from './snapshots.ts'

const scratch = useScratchFolder()
let directory = ''
beforeEach(() => {
  directory = scratch()
})

async function* chunksOf(...chunks: string[]) {
  yield* chunks
}

async function read(snapshots: Snapshots, id: string): Promise<string | undefined> {
  const reading = await snapshots.open(id)
  if (reading === undefined) return undefined
  const parts: Uint8Array[] = []
  for await (const chunk of reading.chunks) parts.push(Buffer.from(chunk))
  const bytes = Buffer.concat(parts)
  expect(bytes.length).toBe(reading.bytes)
  return bytes.toString()
}

test('default: reads a snapshot back, also after a restart', async () => {
  const snapshots = await createSnapshots({ directory, isShared: false })
  const text = ['{"a":"ü', '😀', '"}'].concat(Array.from({ length: 100 }, () => 'x'.repeat(10_000)))
  const written = await snapshots.write(chunksOf(...text))
  expect(written).toMatchObject({ kind: 'snapshot', bytes: Buffer.byteLength(text.join('')) })
  expect(await read(snapshots, written.id)).toBe(text.join(''))
  expect(await read(await createSnapshots({ directory, isShared: false }), written.id)).toBe(text.join(''))
})

test('behavior: opens no file by a name that is not a snapshot id', async () => {
  await writeFile(join(directory, 'secret'), 'secret')
  const snapshots = await createSnapshots({ directory: join(directory, 'inner'), isShared: false })
  for (const id of ['../secret', 'secret', '', 'A'.repeat(22), '/etc/hostname', `${'A'.repeat(22)}/..`]) {
    expect([id, await snapshots.open(id)]).toEqual([id, undefined])
  }
})

test('error: a source that fails leaves no file', async () => {
  const snapshots = await createSnapshots({ directory, isShared: false })
  async function* failing() {
    yield 'x'.repeat(1_000_000)
    throw new Error('no more')
  }
  await expect(snapshots.write(failing())).rejects.toThrow('no more')
  expect(await readdir(directory)).toEqual([])
})

test('behavior: removes half-written files at start', async () => {
  await writeFile(join(directory, `${'A'.repeat(22)}.tmp`), 'half')
  await createSnapshots({ directory, isShared: false })
  expect(await readdir(directory)).toEqual([])
})

test('behavior: in a shared folder, removes half-written files only after an hour', async () => {
  const path = join(directory, `${'A'.repeat(22)}.tmp`)
  await writeFile(path, 'half')
  await createSnapshots({ directory, isShared: true })
  expect(await readdir(directory)).toHaveLength(1)
  const before = Date.now() / 1000 - 7200
  await utimes(path, before, before)
  await createSnapshots({ directory, isShared: true })
  expect(await readdir(directory)).toEqual([])
})

test('behavior: a snapshot outlives the 24 hours in which its answer is replayed, then is removed', async () => {
  const snapshots = await createSnapshots({ directory, isShared: false })
  const { id } = await snapshots.write(chunksOf('{}'))
  const age = async (hours: number) => {
    const time = Date.now() / 1000 - hours * 3600
    await utimes(join(directory, `${id}.json`), time, time)
    await snapshots.sweep()
  }
  await age(24.5)
  expect(await read(snapshots, id)).toBe('{}')
  await age(25.5)
  expect(await snapshots.open(id)).toBeUndefined()
})

test('error: refuses a snapshot that does not fit until others are removed', async () => {
  // A sparse file, which takes no room on the disk.
  const large = `${'a'.repeat(22)}.json`
  await writeFile(join(directory, large), '')
  await truncate(join(directory, large), 8 * 1024 ** 3 - 1_500_000)
  const snapshots = await createSnapshots({ directory, isShared: false })
  const million = 'x'.repeat(1_000_000)
  const { id } = await snapshots.write(chunksOf(million))
  await expect(snapshots.write(chunksOf(million))).rejects.toThrow(SnapshotsFullError)
  expect((await readdir(directory)).sort()).toEqual([`${id}.json`, large].sort())
  const again = await createSnapshots({ directory, isShared: false })
  await expect(again.write(chunksOf(million))).rejects.toThrow(SnapshotsFullError)
  await rm(join(directory, `${id}.json`))
  await again.sweep()
  await again.write(chunksOf(million))
})
