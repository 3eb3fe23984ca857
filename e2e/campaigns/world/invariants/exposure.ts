import type { SignatureRecord } from '../books.ts'
import type { Facts } from '../facts.ts'

/** Returns what a signature has cost, or still can, in millionths of a dollar. */
function costOf({ chain }: Pick<Facts, 'chain'>, { nonce, validBefore, usdMicros }: SignatureRecord): bigint {
  const collected = chain.collected.get(nonce)
  // Amounts of the token are in millionths too.
  if (collected !== undefined) return collected.amount
  return chain.now() < validBefore ? usdMicros : 0n
}

/** Returns what signatures have cost, or still can, in millionths of a dollar. */
export function sumCost(facts: Pick<Facts, 'chain'>, signatures: readonly SignatureRecord[]): bigint {
  return signatures.reduce((sum, one) => sum + costOf(facts, one), 0n)
}
