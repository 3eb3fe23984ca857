import { expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { aProof, aRequest } from '../testing/requests.ts'
import { HONEST } from '../testing/seller.ts'
import { createMemoryLedger } from './journal.ts'

const limits = budgetLimits(parsePolicy({}))
const UNTIL = 1_700_000_060
const authorizationOf = (nth: number, until = UNTIL) => ({
  from: HONEST,
  validBefore: String(until),
  nonce: `0x${nth.toString(16).padStart(64, '0')}`,
})
let calls = 0
const reserve = async (ledger: ReturnType<typeof createMemoryLedger>, agent: string) => {
  const reserved = await ledger.reserve(aRequest({ agent, call: `GET ${++calls}` }), limits)
  if (!reserved.ok) throw new Error(reserved.code)
  return reserved.id
}

test('error: a second authorization for a payment does not take the place of the first', async () => {
  const ledger = createMemoryLedger()
  const id = await reserve(ledger, 'a')
  await ledger.update(id, { state: 'handedOut', authorization: authorizationOf(1) })
  await ledger.update(id, { state: 'handedOut', authorization: authorizationOf(2) })
  expect(ledger.find(id)?.authorization).toEqual(authorizationOf(1))
})

test('error: the end of an authorization does not move', async () => {
  const ledger = createMemoryLedger()
  const id = await reserve(ledger, 'a')
  await ledger.update(id, { state: 'handedOut', authorization: authorizationOf(1, UNTIL + 3600) })
  await ledger.update(id, { state: 'handedOut', authorization: authorizationOf(1) })
  await ledger.update(id, { state: 'unused', proof: aProof(UNTIL) })
  expect(ledger.totals().usdMicros).toBe(10_000n)
})

test('error: a payment of one agent takes no authorization of another', async () => {
  const ledger = createMemoryLedger()
  const [mine, other] = [await reserve(ledger, 'a'), await reserve(ledger, 'b')]
  await ledger.update(mine, { state: 'handedOut', authorization: authorizationOf(1) })
  await ledger.update(other, { state: 'handedOut', authorization: authorizationOf(1) })
  expect(ledger.find(mine)).toMatchObject({ state: 'handedOut', authorization: authorizationOf(1) })
})

test('error: what was sent counts until its own end, also after another payment took its authorization over', async () => {
  const ledger = createMemoryLedger()
  const [first, second] = [
    await ledger.reserve(aRequest({ call: 'GET a' }), limits),
    await ledger.reserve(aRequest({ call: 'GET b' }), limits),
  ].map((one) => (one.ok ? one.id : '')) as [string, string]
  await ledger.update(first, { state: 'sent', authorization: authorizationOf(1) })
  await ledger.update(second, { state: 'handedOut', authorization: authorizationOf(2) })
  await ledger.update(first, { state: 'sent', authorization: authorizationOf(2) })
  expect(ledger.find(second)).toMatchObject({ state: 'sent', authorization: authorizationOf(1) })
  await ledger.update(second, { state: 'expired', at: (UNTIL + 3600) * 1000 })
  expect(ledger.totals().usdMicros).toBe(20_000n)
})
