import { type FetchLike, isGuardError, type SigningAccount } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { createFileLedger } from '@touchstone402/guard/ledger'

export type DailyBudgetOptions = {
  /** URL of the trust service. @default none, policy and ledger decide */
  touchstoneUrl?: string | undefined
  endpointUrl: string
  account: SigningAccount
  /** File that records spending, so that the budget survives a restart. */
  ledgerFile: string
  /** Limit in dollars for any 24 hours, as a decimal string. */
  budgetUsd: string
  /** Used for every request. @default the global fetch */
  fetch?: FetchLike
}

export type DailyBudgetResult = { bought: number; stoppedBy: string; spentUsdMicros: bigint }

/** Buys from an endpoint repeatedly until the daily budget or another error stops it. */
export async function run(options: DailyBudgetOptions): Promise<DailyBudgetResult> {
  const { touchstoneUrl, endpointUrl, account, budgetUsd, fetch = globalThis.fetch } = options
  const ledger = await createFileLedger(options.ledgerFile)
  const pay = createGuardedFetch({
    account,
    service: touchstoneUrl ? { url: touchstoneUrl, fetch } : undefined,
    policy: { maxPerDayUsd: budgetUsd },
    ledger,
    fetch,
  })
  let bought = 0
  const stop = (stoppedBy: string) => ({ bought, stoppedBy, spentUsdMicros: ledger.totals().usdMicros })
  try {
    for (;;) {
      const response = await pay(endpointUrl)
      await response.arrayBuffer()
      if (!response.ok) return stop(`STATUS_${response.status}`)
      bought += 1
    }
  } catch (error) {
    if (!isGuardError(error)) throw error
    return stop(error.code)
  } finally {
    await ledger.close()
  }
}
