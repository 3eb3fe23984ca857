import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { SnapshotsFullError } from '../../domain/facts/snapshotError.ts'
import type { Snapshots } from '../../ports/snapshots.ts'
import { createSnapshots } from './createSnapshots.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-snapshots-'))
  return () => rm(directory, { recursive: true })
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

test('default', async () => {
  const snapshots = await createSnapshots({ directory })
  const text = ['{"a":"ü', '😀', '"}'].concat(Array.from({ length: 100 }, () => 'x'.repeat(10_000)))
  const written = await snapshots.write(chunksOf(...text))
  expect(written).toMatchObject({ kind: 'snapshot', bytes: Buffer.byteLength(text.join('')) })
  expect(await read(snapshots, written.id)).toBe(text.join(''))
  expect(await read(await createSnapshots({ directory }), written.id)).toBe(text.join(''))
})

test('behavior: names that were not given out open nothing', async () => {
  await writeFile(join(directory, 'secret'), 'secret')
  const snapshots = await createSnapshots({ directory: join(directory, 'inner') })
  for (const id of ['../secret', 'secret', '', 'A'.repeat(22), '/etc/hostname', `${'A'.repeat(22)}/..`]) {
    expect([id, await snapshots.open(id)]).toEqual([id, undefined])
  }
})

test('error: of text that fails nothing stays', async () => {
  const snapshots = await createSnapshots({ directory })
  async function* failing() {
    yield 'x'.repeat(1_000_000)
    throw new Error('no more')
  }
  await expect(snapshots.write(failing())).rejects.toThrow('no more')
  expect(await readdir(directory)).toEqual([])
})

test('behavior: what a crash left half-written is removed at start', async () => {
  await writeFile(join(directory, `${'A'.repeat(22)}.tmp`), 'half')
  await createSnapshots({ directory })
  expect(await readdir(directory)).toEqual([])
})

test('behavior: in a shared folder another process may be writing what looks half-written, but not for ever', async () => {
  const path = join(directory, `${'A'.repeat(22)}.tmp`)
  await writeFile(path, 'half')
  await createSnapshots({ directory, isShared: true })
  expect(await readdir(directory)).toHaveLength(1)
  const before = Date.now() / 1000 - 7200
  await utimes(path, before, before)
  await createSnapshots({ directory, isShared: true })
  expect(await readdir(directory)).toEqual([])
})

test('behavior: snapshots are kept for longer than their answers may be asked for, and not for ever', async () => {
  const snapshots = await createSnapshots({ directory })
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

test('error: past its room nothing is written, until something is let go of', async () => {
  const snapshots = await createSnapshots({ directory, maxBytes: 1_500_000 })
  const million = 'x'.repeat(1_000_000)
  const { id } = await snapshots.write(chunksOf(million))
  await expect(snapshots.write(chunksOf(million))).rejects.toThrow(SnapshotsFullError)
  expect(await readdir(directory)).toEqual([`${id}.json`])
  const again = await createSnapshots({ directory, maxBytes: 1_500_000 })
  await expect(again.write(chunksOf(million))).rejects.toThrow(SnapshotsFullError)
  await rm(join(directory, `${id}.json`))
  await again.sweep()
  await again.write(chunksOf(million))
})
