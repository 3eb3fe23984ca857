import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { createFile, ifPresent, replaceFile } from './durableFiles.ts'

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
