import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createMapFile } from './mapFile.ts'

test('behavior: writers that share a file and a process id, as in containers, never leave half a map', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'map-file-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'map')
  const [one, two] = [createMapFile(path), createMapFile(path)]
  const mapOf = (note: string, bytes: number) => ({ note, keys: ['key'], body: new Uint8Array(bytes) })
  for (let round = 0; round < 20; round++) {
    await Promise.all([one.save(mapOf('long', 2_000_000)), two.save(mapOf('short', 1000))])
    const stored = await one.load()
    expect([stored?.note, stored?.body.length]).toEqual(
      stored?.note === 'long' ? ['long', 2_000_000] : ['short', 1000],
    )
  }
  expect(await readdir(folder)).toEqual(['map'])
})
