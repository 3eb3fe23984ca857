import { expect, test } from 'vitest'
import { aProof, aRequest } from '../testing/requests.ts'
import { HONEST } from '../testing/seller.ts'
import { applyUpdate } from './applyUpdate.ts'
import { addEntry, createLedgerState } from './ledgerState.ts'
import { restoreState, takeSnapshot } from './snapshot.ts'

const DAY_MS = 86_400_000
const UNTIL = 60

test('behavior: holds payments older than a day only while they are unresolved', () => {
  const state = createLedgerState()
  const authorization = { from: HONEST, nonce: '0x1', validBefore: String(UNTIL) }
  addEntry(state, 'sent', aRequest({ at: 0, call: 'GET sent' }))
  applyUpdate(state, 'sent', { state: 'sent', authorization })
  addEntry(state, 'reserved', aRequest({ at: 0, call: 'GET reserved' }))
  addEntry(state, 'young', aRequest({ at: 2 * DAY_MS, call: 'GET young' }))
  const olderOf = () => takeSnapshot(state).older.map(({ id }) => id)
  expect(olderOf()).toEqual(['sent', 'reserved'])
  applyUpdate(state, 'sent', { state: 'unused', proof: aProof(UNTIL) })
  expect(olderOf()).toEqual(['reserved'])
  applyUpdate(state, 'reserved', { state: 'expired', at: 2 * DAY_MS })
  expect(olderOf()).toEqual([])
  expect([...restoreState(takeSnapshot(state)).entries.keys()]).toEqual(['young'])
})
