import type { TokenWindow } from '@touchstone402/shared'
import type { Address, ReadOptions, TransferSource } from '../types.ts'

/** Checks that the balances of a token change by what its transfers state. */
export type FitCheck = {
  /** Returns the last result; null if there is none. */
  known(token: Address): boolean | null
  /** Compares the change of one holder's balance over a complete window with its net flow, every ten minutes at most. */
  check(
    token: Address,
    window: TokenWindow,
    holder: { readonly address: Address; readonly in: bigint; readonly out: bigint } | undefined,
    options: ReadOptions,
  ): Promise<boolean | null>
}

const LIFETIME_MS = 600_000
const MAX_CACHED = 1000

/** Creates the check. It takes two RPC calls, and has no result if the RPC keeps no past state. */
export function createFitCheck(source: Pick<TransferSource, 'balanceChange'>, now: () => number): FitCheck {
  const results = new Map<Address, { readonly fits: boolean | null; readonly at: number }>()
  const known = (token: Address) => results.get(token)?.fits ?? null
  return {
    known,
    async check(token, window, holder, { signal, deadlineAt }) {
      const last = results.get(token)
      if (holder === undefined || !window.complete || (last !== undefined && now() - last.at < LIFETIME_MS))
        return known(token)
      const { fromBlock, toBlock } = window
      const change = await source
        .balanceChange({ token, holder: holder.address, fromBlock, toBlock, signal, deadlineAt })
        // A failed check must not fail the answer.
        .catch(() => null)
      const fits = change === null ? null : change === holder.in - holder.out
      if (results.size >= MAX_CACHED) results.clear()
      results.set(token, { fits, at: now() })
      return fits
    },
  }
}
