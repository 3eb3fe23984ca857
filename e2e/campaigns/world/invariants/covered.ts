import { usdToAtomic } from '@touchstone402/shared'
import type { SignatureRecord } from '../books.ts'
import type { Facts } from '../facts.ts'
import { TOKENS } from '../setUp.ts'
import { Violation } from '../violation.ts'
import { sumCost } from './exposure.ts'

/** Window of the daily limits, less the time between a reservation and its signature and what clocks differ by. */
const DAY_MS = 86_400_000 - 300_000

/**
 * Everything that anyone could still collect, and all that was collected, is within every budget.
 * @throws Violation
 */
export function checkCovered(facts: Facts): void {
  const { books, setUp, time } = facts
  const { perPayment, perHostDay, perReceiverDay, perDay, total } = setUp.policy
  const out = books.out()
  const ofDay = out.filter(({ madeAt }) => madeAt > time.now() - DAY_MS)
  const within = (what: string, signatures: readonly SignatureRecord[], limit: bigint | null) => {
    const sum = sumCost(facts, signatures)
    if (limit !== null && sum > limit)
      throw new Violation('covered', `${sum} of ${limit} millionths of a dollar are out for ${what}`)
  }
  for (const one of out) within('one payment', [one], perPayment)
  within('the day', ofDay, perDay)
  within('the life of the ledger', out, total)
  for (const { name, maxUsd } of TOKENS)
    within(
      `task ${name}`,
      out.filter(({ seat }) => seat === name),
      usdToAtomic(maxUsd),
    )
  for (const { host } of facts.sellers)
    within(
      host,
      ofDay.filter((one) => one.carrier?.host === host),
      perHostDay,
    )
  for (const receiver of new Set(ofDay.map(({ to }) => to)))
    within(
      receiver,
      ofDay.filter(({ to }) => to === receiver),
      perReceiverDay,
    )
}
