import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDirectory } from './createDirectory.ts'
import { readAll } from './testing/harness.ts'
import { NO_PAUSES } from './testing/pace.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-file-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function read(text: string) {
  const location = join(folder, 'urls.txt')
  await writeFile(location, text)
  return readAll(createDirectory({ kind: 'file', name: 'mine', location }, { contact: 'x', pace: NO_PAUSES }))
}

test('default', async () => {
  const { rows, skipped } = await read(
    '# mine\n\nhttps://a.example/x?y=1\r\nPOST https://b.example/z # paid\n',
  )
  expect(skipped).toEqual({})
  expect(rows.map(({ endpoint, url, method, directory }) => [endpoint, url, method, directory])).toEqual([
    ['https://a.example/x', 'https://a.example/x?y=1', null, 'mine'],
    ['https://b.example/z', 'https://b.example/z', 'POST', 'mine'],
  ])
})

test('behavior: does not treat a URL fragment as a comment, and counts invalid lines', async () => {
  const { rows, skipped } = await read('https://a.example/x#part\nnonsense\nBREW https://a.example/\na b c\n')
  expect(rows.map(({ url }) => url)).toEqual(['https://a.example/x'])
  expect(skipped).toEqual({ malformed: 2, url_invalid: 1 })
})

test('behavior: splits long files into pages', async () => {
  const { rows, pages } = await read(
    Array.from({ length: 2_500 }, (_, n) => `https://h${n}.example/`).join('\n'),
  )
  expect([rows.length, pages]).toEqual([2_500, 3])
})

test('error: fails for a missing file', async () => {
  const directory = createDirectory(
    { kind: 'file', name: 'm', location: join(folder, 'none') },
    { contact: 'x', pace: NO_PAUSES },
  )
  await expect(readAll(directory)).rejects.toThrow('ENOENT')
})
