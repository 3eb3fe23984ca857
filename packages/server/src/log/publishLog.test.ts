import {
  createCosigner,
  formatCheckpoint,
  formatSignerKey,
  parseSignerKey,
  signNote,
} from '@touchstone402/transparency'
import { createLogPublisher, type WitnessClient } from '@touchstone402/transparency/publisher'
import { expect, test } from 'vitest'
import { mapLeaf } from '../publish/leaves.ts'
import { readHead } from '../store/log.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { logStorage } from './logStorage.ts'
import { proveLeaf } from './proveLeaf.ts'
import { publishLog } from './publishLog.ts'

const ORIGIN = 'trust.example/log'
const seed = (number: number) => new Uint8Array(32).fill(number)

/** Opens a log with one leaf, and a witness that has cosigned so many. */
async function openLog(witnessed: number) {
  const store = createMemoryStore()
  await store.write('addLeaves', [mapLeaf(1, 'ab', Date.now())])
  const signer = await parseSignerKey(await formatSignerKey(ORIGIN, seed(1)))
  const cosigner = await createCosigner('w.example', seed(2), Date.now)
  const head = { origin: ORIGIN, size: witnessed, root: seed(7) }
  const note = await signNote(formatCheckpoint(head), [signer, cosigner])
  const witness: WitnessClient = {
    name: 'w.example',
    latest: async () => (witnessed === 0 ? undefined : { ...head, note }),
    cosign: () => Promise.reject(new Error('it does not answer')),
  }
  const told: (string | null)[] = []
  const publisher = createLogPublisher({
    log: logStorage(store),
    signer,
    witnesses: [witness],
    now: Date.now,
    onError: () => {},
  })
  const publish = () => publishLog(publisher, async (reason) => void told.push(reason))
  return { store, publish, told }
}

test('default: publishes the leaves of the store', async () => {
  const { store, publish, told } = await openLog(0)
  expect(await publish()).toMatchObject({ size: 1 })
  expect(told).toEqual([null])
  expect(await proveLeaf(store, 0)).toMatchObject({ index: 0, opening: null })
  expect(await proveLeaf(store, 1)).toBeUndefined()
})

test('error: a store that lost leaves is not signed, and the operator is told what to do', async () => {
  const { store, publish, told } = await openLog(3)
  const reason =
    'witness w.example cosigned 3 leaves that the store does not continue, which has 1; nothing is signed: put the newest back-up in its place, or stop the service and begin another log with "touchstone-server log begin"'
  await expect(publish()).rejects.toThrow(reason)
  expect(told).toEqual([reason])
  expect(await readHead(store)).toBeNull()
})
