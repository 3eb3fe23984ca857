import type { Address, ReadOptions, TransferSource } from '../types.ts'
import type { WindowInfo } from './answer.ts'

/** Checks that a token's balances move as its transfers say. */
export type FitCheck = {
  /** The last result; null when none could be had. */
  known(token: Address): boolean | null
  /** Compares the balance of one holder over a complete window with its net flow; looked up again every ten minutes. */
  check(
    token: Address,
    window: WindowInfo,
    holder: { readonly address: Address; readonly in: bigint; readonly out: bigint } | undefined,
    options: ReadOptions,
  ): Promise<boolean | null>
}

const AGAIN_MS = 600_000
const REMEMBERED = 1000

/** Creates the check. It costs two calls when it is due, and is left out where the RPC keeps no old state. */
export const createFitCheck = (
  source: Pick<TransferSource, 'balanceChange'>,
  now: () => number,
): FitCheck => {
  const results = new Map<Address, { readonly fits: boolean | null; readonly at: number }>()
  const known = (token: Address) => results.get(token)?.fits ?? null
  return {
    known,
    async check(token, window, holder, { signal, deadlineAt }) {
      const last = results.get(token)
      if (holder === undefined || !window.complete || (last !== undefined && now() - last.at < AGAIN_MS))
        return known(token)
      const { fromBlock, toBlock } = window
      const change = await source
        .balanceChange({ token, holder: holder.address, fromBlock, toBlock, signal, deadlineAt })
        // A hint is not worth failing the answer.
        .catch(() => null)
      const fits = change === null ? null : change === holder.in - holder.out
      if (results.size >= REMEMBERED) results.clear()
      results.set(token, { fits, at: now() })
      return fits
    },
  }
}
