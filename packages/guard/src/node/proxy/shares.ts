/** Room that several holders share. */
export type Shares = ReturnType<typeof createShares>

const LEAST_PARTS = 8

/**
 * Divides room among holders: each has an eighth for itself, or its equal part if there are more than eight. What is
 * left is for whoever comes first.
 */
export function createShares(total: number, holders: number) {
  const own = Math.floor(total / Math.max(LEAST_PARTS, holders))
  const common = total - own * holders
  const used = new Map<string, number>()
  let usedCommon = 0
  const beyond = (amount: number) => Math.max(0, amount - own)
  const set = (holder: string, amount: number) => {
    usedCommon += beyond(amount) - beyond(used.get(holder) ?? 0)
    if (amount > 0) used.set(holder, amount)
    else used.delete(holder)
  }
  return {
    /** Takes room for a holder. Returns false, and takes nothing, if there is not enough. */
    take(holder: string, amount: number): boolean {
      const before = used.get(holder) ?? 0
      const after = before + amount
      if (usedCommon - beyond(before) + beyond(after) > common) return false
      set(holder, after)
      return true
    },
    /** Gives room back. */
    give(holder: string, amount: number): void {
      set(holder, (used.get(holder) ?? 0) - amount)
    },
  }
}
