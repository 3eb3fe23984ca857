import { expect, test } from 'vitest'
import type { Claim, ClaimState } from '../../../ports/claims.ts'
import { createMemoryStore } from '../memory/createMemoryStore.ts'
import { aWantedClaim, NOON } from '../testing/records.ts'
import { restoreClaim } from './restoreClaim.ts'

test('behavior: a claim of any state is equal afterwards', async () => {
  const states: ClaimState[] = [
    'claimed',
    'settling',
    'reported',
    'settled',
    'unknown',
    'missing',
    'released',
  ]
  const { claims } = createMemoryStore({ now: () => NOON + 60_000 })
  for (const [index, state] of states.entries()) {
    const later = state !== 'claimed'
    const claim: Claim = {
      ...aWantedClaim({ nonce: `0x${`${index}`.padStart(64, '0')}` }),
      state,
      updatedAt: later ? NOON + 5000 : NOON,
      txHash: later ? `0x${'ab'.repeat(32)}` : null,
      answer: later ? { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'paid for' } : null,
    }
    await restoreClaim(claims, claim)
    expect(await claims.get(claim)).toEqual(claim)
  }
})
