import { expect, test } from 'vitest'
import { createWriter } from './createWriter.ts'
import { keyOf } from './keys.ts'

/** Runs a call on an empty store, and returns whether its batch waited for the disk. */
async function wasSynced(durable?: boolean): Promise<boolean> {
  const committed = {
    get: async () => undefined,
    getMany: async () => [],
    async *list() {},
    count: async () => 0,
    rowsRead: () => 0,
  }
  const syncs: boolean[] = []
  const writer = await createWriter(committed, async (_, sync) => void syncs.push(sync))
  await writer.run(async ({ put }) => put(keyOf('t', 'a'), Buffer.from('1')), durable)
  await writer.close()
  expect(syncs).toHaveLength(1)
  return syncs[0] === true
}

test('default: a call waits until it survives a crash of the machine', async () => {
  expect(await wasSynced()).toBe(true)
})

test('behavior: a call that need not survive one does not wait', async () => {
  expect(await wasSynced(false)).toBe(false)
})
