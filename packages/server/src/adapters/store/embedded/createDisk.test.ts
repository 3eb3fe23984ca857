import { ClassicLevel } from 'classic-level'
import { expect, test } from 'vitest'
import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { createDisk, type WriteFailed } from './createDisk.ts'
import { createWriter } from './createWriter.ts'
import { createCommitted } from './source.ts'

const scratch = useScratchFolder()
const bytes = (text: string) => Buffer.from(text)

test('error: a failed batch rejects its callers, changes nothing that is read, and later ones are durable', async () => {
  let isFull = false
  const level = new ClassicLevel<string, Buffer>(scratch(), { valueEncoding: 'buffer' })
  await level.open()
  const reports: WriteFailed[] = []
  const disk = createDisk(level, scratch(), (report) => reports.push(report))
  const source = createCommitted(disk.level)
  const writer = await createWriter(source, async (changes, sync) => {
    if (isFull) throw new StoreUnavailableError('no space')
    await disk.write(changes, sync)
  })
  await writer.run(async (tx) => tx.put('a', bytes('1')))
  isFull = true
  const calls = [1, 2].map((value) =>
    writer.run(async (tx) => {
      tx.put('a', bytes(`lost ${value}`))
      tx.add('n', 1)
    }),
  )
  for (const call of calls) await expect(call).rejects.toThrow(StoreUnavailableError)
  expect(`${await source.get('a')}`).toBe('1')
  isFull = false
  await writer.run(async (tx) => tx.add('n', 2))
  expect(Number(await source.get('n'))).toBe(2)
  await writer.close()
  await disk.close()
})

test('behavior: a database that is found closed is opened again', async () => {
  const level = new ClassicLevel<string, Buffer>(scratch(), { valueEncoding: 'buffer' })
  await level.open()
  const disk = createDisk(level, scratch(), () => undefined)
  await disk.write(new Map([['a', bytes('1')]]), true)
  await level.close()
  await disk.write(new Map([['b', bytes('2')]]), true)
  const source = createCommitted(disk.level)
  expect((await source.getMany(['a', 'b'])).map(String)).toEqual(['1', '2'])
  await disk.close()
  await expect(disk.write(new Map([['c', bytes('3')]]), true)).rejects.toThrow(StoreUnavailableError)
  await expect(source.get('a')).rejects.toThrow(StoreUnavailableError)
})
