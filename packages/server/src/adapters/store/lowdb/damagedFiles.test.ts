import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../../durable/durableFiles.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { moveAside, removeTemporaryFiles } from './damagedFiles.ts'

const scratch = useScratchFolder()

test('behavior: removes temporary files and nothing else', async () => {
  for (const name of ['a.json', 'a.json.tmp', 'tmp']) await writeFile(join(scratch(), name), '')
  await removeTemporaryFiles(scratch())
  expect((await readdir(scratch())).sort()).toEqual(['a.json', 'tmp'])
})

test('behavior: keeps every damaged file of the same name', async () => {
  const folder = join(scratch(), 'log')
  await makeFolder(folder)
  const path = join(folder, 'a.ndjson')
  for (const content of ['first', 'second', 'third']) {
    await writeFile(path, content)
    expect(await readFile(await moveAside(path), 'utf8')).toBe(content)
  }
  expect(await readdir(folder)).toEqual([])
  expect((await readdir(join(scratch(), 'corrupt'))).sort()).toEqual(['a.ndjson', 'a.ndjson.1', 'a.ndjson.2'])
})
