import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useScratchFolder } from '../testing/scratch.ts'
import { makeFolder, moveAside, removeTemporaryFiles, replaceFile } from './durableFile.ts'

const scratch = useScratchFolder()

test('default: a file is replaced as a whole, for its owner only, and nothing else is left', async () => {
  const path = join(scratch(), 'a.json')
  await replaceFile(path, 'old and long')
  await replaceFile(path, 'new')
  expect(await readFile(path, 'utf8')).toBe('new')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(scratch())).toEqual(['a.json'])
})

test('error: a replacement that fails leaves nothing behind', async () => {
  const path = join(scratch(), 'a.json')
  await mkdir(path)
  await expect(replaceFile(path, 'new')).rejects.toThrow()
  expect(await readdir(scratch())).toEqual(['a.json'])
})

test('behavior: what an interrupted replacement left is removed, and only that', async () => {
  for (const name of ['a.json', 'a.json.tmp', 'tmp']) await writeFile(join(scratch(), name), '')
  await removeTemporaryFiles(scratch())
  expect((await readdir(scratch())).sort()).toEqual(['a.json', 'tmp'])
})

test('behavior: damaged files of the same name are all kept', async () => {
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
