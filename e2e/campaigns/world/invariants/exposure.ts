import type { SignatureRecord } from '../books.ts'
import type { Facts } from '../facts.ts'

/** Whether a signature has cost money, or still can. */
export function canCost({ chain }: Pick<Facts, 'chain'>, { nonce, validBefore }: SignatureRecord): boolean {
  return chain.usedAt(nonce) !== null || chain.now() < validBefore
}

/** Returns what signatures have cost, or still can, in millionths of a dollar. */
export function sumCost(facts: Pick<Facts, 'chain'>, signatures: readonly SignatureRecord[]): bigint {
  return signatures.filter((one) => canCost(facts, one)).reduce((sum, { usdMicros }) => sum + usdMicros, 0n)
}
