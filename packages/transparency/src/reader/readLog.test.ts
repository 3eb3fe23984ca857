import { expect, test } from 'vitest'
import { type LogError, openCheckpoint } from '../index.ts'
import { readLogFile } from '../publisher/index.ts'
import { publishLog } from '../testing/publishLog.ts'
import { checkContinues, readBundle, readInclusion } from './readLog.ts'

const SIZE = 300
const entryOf = (index: number) => new TextEncoder().encode(`entry ${index}`)

/** Publishes a log of `size` entries, and reads its files, changed where a test says so. */
async function openLog(size: number, entry = entryOf, changed: Readonly<Record<string, Uint8Array>> = {}) {
  const { log, policy } = await publishLog(Array.from({ length: size }, (_, index) => entry(index)))
  const read = async (path: string) => {
    const file = changed[path] ?? (await readLogFile(log, path))
    return file ?? expect.unreachable(path)
  }
  const note = new TextDecoder().decode(await read('checkpoint'))
  return { read, head: await openCheckpoint(note, policy, Date.now()) }
}

const refused = (code: LogError['code']) => expect.objectContaining({ name: 'LogError', code })

test('default: reads every entry and its proof under one checkpoint', async () => {
  const { read, head } = await openLog(SIZE)
  const bundles = await Promise.all([0, 1].map((index) => readBundle(read, index, head)))
  expect(bundles.flat()).toEqual(Array.from({ length: SIZE }, (_, index) => entryOf(index)))
  for (const index of [0, 255, 256, SIZE - 1])
    expect(await readInclusion(read, index, entryOf(index), head)).not.toEqual([])
  await expect(readInclusion(read, SIZE, entryOf(SIZE), head)).rejects.toEqual(refused('not_included'))
  await expect(readInclusion(read, 7, entryOf(8), head)).rejects.toEqual(refused('not_included'))
})

test('behavior: a log that grew continues the one that was seen, a fork does not', async () => {
  const older = await openLog(200)
  const newer = await openLog(SIZE)
  await expect(checkContinues(newer.read, older.head, newer.head)).resolves.toBeUndefined()
  const fork = await openLog(SIZE, (index) => entryOf(index === 5 ? 6 : index))
  await expect(checkContinues(fork.read, older.head, fork.head)).rejects.toEqual(refused('inconsistent'))
  await expect(checkContinues(older.read, newer.head, older.head)).rejects.toEqual(refused('inconsistent'))
})

test('error: entries and tiles that were changed, cut or mixed up', async () => {
  const { read } = await openLog(SIZE)
  const other = await openLog(SIZE, (index) => entryOf(index === 5 ? 6 : index))
  const bundle = 'tile/entries/000'
  const forged = await openLog(SIZE, entryOf, { [bundle]: await other.read(bundle) })
  await expect(readBundle(forged.read, 0, forged.head)).rejects.toEqual(refused('not_included'))
  const cut = await openLog(SIZE, entryOf, {
    [bundle]: (await read(bundle)).slice(0, -1),
    'tile/0/000': (await read('tile/0/000')).slice(0, -1),
  })
  await expect(readBundle(cut.read, 0, cut.head)).rejects.toEqual(refused('wrong_tile'))
  await expect(readInclusion(cut.read, 1, entryOf(1), cut.head)).rejects.toEqual(refused('wrong_tile'))
  const short = await openLog(200)
  await expect(checkContinues(cut.read, short.head, cut.head)).rejects.toEqual(refused('wrong_tile'))
})
