import {
  COSIGNATURE_TYPE,
  createCosigner,
  formatCheckpoint,
  formatSignerKey,
  formatVerifierKey,
  parseSignerKey,
  publicKeyOf,
  signNote,
} from '@touchstone402/transparency'
import { expect, test } from 'vitest'
import { HOUR } from '../facts/times.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { NOON } from '../store/testing/records.ts'
import { noteRefusal, readLogState } from './logState.ts'

const seed = (number: number) => new Uint8Array(32).fill(number)
const witness = async (name: string, number: number) => ({
  key: formatVerifierKey(name, await publicKeyOf(seed(number)), COSIGNATURE_TYPE),
})

test('default: tells the newest checkpoint, and which configured witnesses cosigned it', async () => {
  const store = createMemoryStore()
  const witnesses = [await witness('a.example', 2), await witness('b.example', 3)]
  expect(await readLogState(store, witnesses, NOON)).toEqual({
    size: 0,
    checkpointAt: null,
    cosignedAt: { 'a.example': null, 'b.example': null },
    refusal: null,
  })
  const signer = await parseSignerKey(await formatSignerKey('trust.example/log', seed(1)))
  const cosigner = await createCosigner('a.example', seed(2), () => NOON)
  const text = formatCheckpoint({ origin: 'trust.example/log', size: 4, root: seed(4) })
  await store.write('putHead', { note: await signNote(text, [signer, cosigner]), size: 4, at: NOON + 1 })
  expect(await readLogState(store, witnesses, NOON)).toEqual({
    size: 4,
    checkpointAt: NOON + 1,
    cosignedAt: { 'a.example': NOON, 'b.example': null },
    refusal: null,
  })
})

test('behavior: a refusal is told until the log is signed again, also by a process that says so once', async () => {
  const store = createMemoryStore()
  const refusalAt = async (now: number) => (await readLogState(store, [], now)).refusal
  await noteRefusal(store, 'a witness knows more', NOON)
  expect(await refusalAt(NOON + 1)).toBe('a witness knows more')
  await noteRefusal(store, null, NOON + 2)
  expect(await refusalAt(NOON + 2)).toBeNull()
  await noteRefusal(store, 'a witness knows more', NOON + 3)
  expect(await refusalAt(NOON + 3 + 48 * HOUR)).toBe('a witness knows more')
})
