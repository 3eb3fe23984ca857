import { expect, test } from 'vitest'
import { createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { createGuard } from './createGuard.ts'

const h = useHarness('@x402/fetch')

test('behavior: no agent gets what another one, or the owner, has paid for', async () => {
  h.know()
  const { account, counter } = createCountingAccount()
  const guard = createGuard({ service: { url: h.service.url } })
  const payers = [guard, guard.agent('a', { maxUsd: '1.00' }), guard.agent('b')]
  const pays = payers.map((one) => STOCK_CLIENTS['@x402/fetch'](one.fetch(), account))
  // The first payment gets no answer, so that a repeat would send it again.
  h.seller.character.onPaid = (request) => void (counter.signatures === 1 ? request.socket.destroy() : null)
  const call = (index: number) => pays[index]?.(`${h.seller.url}/weather`)
  await expect(call(1)).rejects.toMatchObject({ code: 'NO_ANSWER' })
  h.seller.character = {}
  for (const index of [0, 2]) expect((await call(index))?.status).toBe(200)
  expect([counter.signatures, new Set(h.seller.payments).size]).toEqual([3, 3])
  // Its own payment is sent again.
  expect((await call(1))?.status).toBe(200)
  expect([counter.signatures, h.seller.payments.length]).toEqual([3, 4])
})
