import { expect, test } from 'vitest'
import { NotPublicError } from '../audit/createAuditor.ts'
import { systemClock } from '../lib/clock.ts'
import { RANDOM_IDS } from '../lib/ids.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { NOON } from '../store/testing/records.ts'
import { withUnits } from '../store/testing/withFaults.ts'
import type { CheckRecord } from './checkRecord.ts'
import { createChecks } from './createChecks.ts'

test('behavior: a check that cannot be written takes no other one out of the queue', async () => {
  const store = createMemoryStore()
  const probes: string[] = []
  const ends = new Map<string, () => void>()
  let failFirstWrite = () => {}
  const isFirst = ({ endpoint, state }: CheckRecord) => endpoint?.endsWith('/b') && state === 'queued'
  const checks = createChecks(
    {
      store: withUnits(store, {
        putDocument: (document, now) =>
          isFirst(document.data as CheckRecord)
            ? new Promise((_, reject) => {
                failFirstWrite = () => reject(new Error('the disk is full'))
              })
            : store.write('putDocument', document, now),
      }),
      clock: { ...systemClock, now: () => NOON },
      ids: RANDOM_IDS,
      log: () => {},
    },
    {
      auditor: {
        async probeLive(endpoint) {
          probes.push(endpoint)
          await new Promise<void>((resolve) => ends.set(endpoint, resolve))
          throw new NotPublicError('a.example')
        },
      },
      caller: {
        ask: () => Promise.reject(new Error('nothing is asked')),
        resolve: async () => [],
      },
      readDeclared: async () => 'own_fault' as const,
      probeFirst: async () => {},
    },
  )
  const urlOf = (name: string) => `https://a.example/${name}`
  const start = (name: string) => checks.start({ host: 'a.example', endpoint: urlOf(name), client: name })
  await start('a')
  await expect.poll(() => probes).toEqual([urlOf('a')])
  const refused = expect(start('b')).rejects.toThrow('the disk is full')
  const { id } = await start('c')
  ends.get(urlOf('a'))?.()
  await expect.poll(() => probes).toEqual([urlOf('a'), urlOf('b')])
  failFirstWrite()
  await refused
  ends.get(urlOf('b'))?.()
  await expect.poll(() => probes).toEqual([urlOf('a'), urlOf('b'), urlOf('c')])
  ends.get(urlOf('c'))?.()
  await expect.poll(async () => (await checks.read(id))?.check.failure).toBe('not_public')
})
