/** One call to buy. */
export type Call = { readonly url: string; readonly method: string; readonly body: string | null }

/** What came of an attempt to buy. */
export type ShoppingResult =
  /** Nothing was paid: the seller asked for nothing, the guard or the budget refused, or nobody answered. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isOutOfBudget: boolean }
  | {
      readonly kind: 'bought'
      readonly network: string
      readonly payTo: string
      readonly amountAtomic: string
      /** Whether the chain shows the payment; what it does not show accuses nobody. */
      readonly settled: boolean
      /** Whether a 2xx with at least one byte came back. */
      readonly delivered: boolean
      readonly txHash: string | null
    }

/** Spends the operator's own money on calls, within limits that outlive a restart. */
export type Shopper = {
  /** Dollars for one call at the most. */
  readonly perCallUsd: number
  /** Buys one call. Rejects only where the signal has fired, or the ledger is lost. */
  buy(call: Call, signal: AbortSignal): Promise<ShoppingResult>
  close(): Promise<void>
}
