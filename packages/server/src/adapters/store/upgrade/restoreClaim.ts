import type { Claim, ClaimState, ClaimStore } from '../../../ports/claims.ts'

type LaterState = Exclude<ClaimState, 'claimed'>

/** States on a way from `claimed` to each state, itself excluded. */
const BEFORE: Readonly<Record<LaterState, readonly LaterState[]>> = {
  settling: [],
  reported: ['settling'],
  settled: ['settling'],
  unknown: ['settling'],
  missing: ['settling', 'reported'],
  released: [],
}

/** Writes a claim into a store that does not hold it, with its state, time, transaction and answer. */
export async function restoreClaim(claims: ClaimStore, claim: Claim): Promise<void> {
  const { state, updatedAt: at, txHash, answer, ...wanted } = claim
  await claims.claim(wanted)
  if (state === 'claimed') return
  for (const step of BEFORE[state]) await claims.advance(wanted, step, { at })
  await claims.advance(wanted, state, { at, txHash, answer })
}
