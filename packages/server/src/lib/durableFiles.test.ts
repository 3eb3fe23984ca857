import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { createFile, ifPresent, makeDataFolder, makeFolder, replaceFile } from './durableFiles.ts'

const scratch = useScratchFolder()

test('default: replaces a file atomically and keeps it readable by its owner only', async () => {
  const path = join(scratch(), 'a.json')
  await replaceFile(path, 'old and long')
  await replaceFile(path, 'new')
  expect(await readFile(path, 'utf8')).toBe('new')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(scratch())).toEqual(['a.json'])
})

test('behavior: writes the chunks of an iterable in order', async () => {
  const path = join(scratch(), 'a.json')
  async function* chunks() {
    yield Buffer.from('a')
    yield Buffer.from('b')
  }
  await replaceFile(path, chunks())
  expect(await readFile(path, 'utf8')).toBe('ab')
})

test('behavior: creating keeps an existing file', async () => {
  const path = join(scratch(), 'a.json')
  await createFile(path, 'first')
  await createFile(path, 'second')
  expect(await readFile(path, 'utf8')).toBe('first')
  expect(await readdir(scratch())).toEqual(['a.json'])
})

test('behavior: reads a missing file as undefined', async () => {
  expect(await ifPresent(readFile(join(scratch(), 'a.json')))).toBeUndefined()
  await expect(ifPresent(readFile(scratch()))).rejects.toThrow('EISDIR')
})

test('error: a failed replacement leaves no temporary file', async () => {
  const path = join(scratch(), 'a.json')
  await mkdir(path)
  await expect(replaceFile(path, 'new')).rejects.toThrow()
  expect(await readdir(scratch())).toEqual(['a.json'])
})

test('default: creates a folder within folders that are not there either', async () => {
  const folder = join(scratch(), 'a', 'b', 'c')
  await Promise.all(Array.from({ length: 20 }, () => makeFolder(folder)))
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  await makeFolder(folder)
})

test('error: gives up on a folder that the kernel never creates', async () => {
  await expect(makeFolder('/proc/touchstone/data')).rejects.toThrow(/ENOENT|EROFS|EACCES/)
})

test('error: says in words that a data folder is a file, is within one, or takes no files', async () => {
  const file = join(scratch(), 'file')
  await writeFile(file, '')
  const advice = 'choose a folder in which the user of the service may write'
  for (const [folder, why] of [
    [file, 'is a file'],
    [join(file, 'data'), 'is within a file'],
    ['/proc/touchstone', 'cannot be created'],
    ['/proc', 'takes no files'],
  ] as const)
    await expect(makeDataFolder(folder)).rejects.toThrow(`DATA_DIR ${folder} ${why}`)
  await expect(makeDataFolder(file, 'WITNESS_DATA_DIR')).rejects.toThrow(
    `WITNESS_DATA_DIR ${file} is a file: ${advice}`,
  )
})

test('default: a data folder is open to its owner alone, and nothing is left in it', async () => {
  const folder = join(scratch(), 'data')
  await mkdir(folder, { mode: 0o755 })
  await makeDataFolder(folder)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect(await readdir(folder)).toEqual([])
})
