import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { openWitnessBook } from './openWitnessBook.ts'

const scratch = useScratchFolder()
const witnessed = (size: number, note = 'note') => ({ size, root: `root ${size}`, note })

test('default: keeps the last checkpoint of each log over a restart', async () => {
  const directory = scratch()
  const book = await openWitnessBook(directory)
  await book.write('a.example/log', witnessed(1))
  await book.write('a.example/log', witnessed(3))
  await expect(openWitnessBook(directory)).rejects.toThrow('Another service uses this data folder')
  await book.close()
  const again = await openWitnessBook(directory)
  expect(await again.read('a.example/log')).toEqual(witnessed(3))
  expect(await again.read('b.example/log')).toBeUndefined()
  await again.close()
})

test('behavior: a cosigned checkpoint is durable while other logs are written', async () => {
  const directory = scratch()
  const book = await openWitnessBook(directory)
  const origins = ['a.example/log', 'b.example/log', 'c.example/log', 'd.example/log']
  for (let size = 1; size <= 50; size++) {
    await Promise.all(origins.map((origin) => book.write(origin, witnessed(size, origin))))
    const stored = JSON.parse(await readFile(join(directory, 'witness-book.json'), 'utf8'))
    expect(origins.map((origin) => stored[origin].size)).toEqual(origins.map(() => size))
  }
  await book.close()
})
