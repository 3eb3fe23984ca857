import { type FetchLike, isGuardError } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { privateKeyToAccount } from 'viem/accounts'

export type DailyBudgetOptions = {
  touchstoneUrl: string
  endpointUrl: string
  privateKey: `0x${string}`
  /** Remembers what was spent; a bot that starts again goes on from there. */
  ledgerFile: string
  /** Dollars in any 24 hours, as a decimal string. */
  budgetUsd: string
  /** How everything is reached. @default the global fetch */
  fetch?: FetchLike
}

export type DailyBudgetResult = { bought: number; stoppedBy: string; spentUsdMicros: bigint }

/** Buys from an endpoint again and again, until the day's budget is used up or something else is in the way. */
export async function run(options: DailyBudgetOptions): Promise<DailyBudgetResult> {
  const { touchstoneUrl, endpointUrl, privateKey, budgetUsd, fetch = globalThis.fetch } = options
  const ledger = await createFileLedger(options.ledgerFile)
  const pay = createGuardedFetch({
    account: privateKeyToAccount(privateKey),
    service: { url: touchstoneUrl, fetch },
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
