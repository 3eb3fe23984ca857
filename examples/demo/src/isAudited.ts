import type { SellerSpec } from '@touchstone402/economy'

type Character = Pick<SellerSpec, 'character' | 'expected'>

/**
 * Returns whether a published verdict can be that of a finished audit. A seller that the guard has to refuse must have
 * been found out: only then may agents shop.
 */
export function isAudited({ character, expected }: Character, verdict: string): boolean {
  // It lets nobody probe it, so no audit of it ends.
  if (character === 'opted-out') return true
  if (verdict === 'unknown') return false
  // It is honest until the demonstration makes it change its receiver.
  if (character === 'swap-now') return true
  return expected.guard === 'pays' || verdict !== 'safe'
}
