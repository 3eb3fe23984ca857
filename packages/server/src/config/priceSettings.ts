import {
  OPERATIONS,
  PAID_OPERATIONS,
  type PaidOperationId,
  USDC_DECIMALS,
  usdToAtomic,
} from '@touchstone402/shared'
import { optionalList } from './settingKinds.ts'

/** Minimum price of a call in dollars; settling costs more than a lower one earns. */
const LOWEST_USD = '0.001'
/** Maximum price of a call in dollars: a higher one is a slip, and no answer is worth it. */
const HIGHEST_USD = '1000'
const MOST_DIGITS = 12

/** The prices of the contract, in dollars. */
export const CONTRACT_PRICES = Object.fromEntries(
  PAID_OPERATIONS.map((id) => [id, OPERATIONS[id].priceUsd]),
) as Record<PaidOperationId, string>

/** Prices in dollars by paid operation, where they differ from the contract. */
export const prices = optionalList().transform((items, context) => {
  const wanted: Partial<Record<PaidOperationId, string>> = {}
  for (const item of items) {
    const [, name, usd] = /^(\w+)=(\d+(?:\.\d+)?)$/.exec(item) ?? []
    const id = PAID_OPERATIONS.find((operation) => operation === name)
    if (id === undefined || usd === undefined) {
      context.addIssue(`"${item}" must be OPERATION=DOLLARS with one of ${PAID_OPERATIONS.join(', ')}`)
      continue
    }
    const problem = explain(usd) ?? (wanted[id] === undefined ? undefined : `: ${id} has a price already`)
    if (problem === undefined) wanted[id] = usd
    else context.addIssue(`"${item}"${problem}`)
  }
  return wanted
})

/** Returns why an amount is no price. */
function explain(usd: string): string | undefined {
  const [whole = '', digits = ''] = usd.split('.')
  if (digits.length > USDC_DECIMALS) return ` must have at most ${USDC_DECIMALS} digits after the point`
  // Longer amounts have no form in atomic units.
  if (whole.length > MOST_DIGITS || usdToAtomic(usd) > usdToAtomic(HIGHEST_USD))
    return `: the highest price is ${HIGHEST_USD}`
  return usdToAtomic(usd) < usdToAtomic(LOWEST_USD) ? `: the lowest price is ${LOWEST_USD}` : undefined
}
