import { formatUsdc, sameAddress } from '@touchstone402/shared'
import { fundedPrice, fundingAmount, isFundable } from '../publish/fundedPurchase.ts'
import { readHost, searchPaid } from '../store/hosts.ts'
import type { Store } from '../store/store.ts'
import type { DueCredit } from './funding.ts'
import { sellerOf } from './purchaseCaps.ts'

/** A credit that funds a purchase at one endpoint. */
export type MatchedCredit = {
  readonly id: string
  /** Price of the purchase in dollars, and the receiver that paid for it and must be paid. */
  readonly usd: string
  readonly payTo: string
}

/** Credits looked at in one round; the others wait. */
const MOST_CREDITS = 200
/** Hosts of one receiver; a credit of a receiver of more is not told apart. */
const MOST_HOSTS = 200

/**
 * Finds the endpoints that credits fund. A credit that endpoints of several registrable domains match funds none: anybody
 * may name the receiver of another seller, and look for a path of the same amount.
 * @param networks CAIP-2 ids of the networks whose receivers are searched
 */
export async function matchCredits(
  store: Store,
  credits: readonly DueCredit[],
  networks: readonly string[],
): Promise<ReadonlyMap<string, MatchedCredit>> {
  const matched = new Map<string, MatchedCredit>()
  for (const { id, from, amountAtomic } of credits.slice(0, MOST_CREDITS)) {
    const found = await findFunded(store, networks, from, BigInt(amountAtomic))
    const [first] = found
    const sellers = new Set(found.map(({ host }) => sellerOf(host)))
    if (first !== undefined && sellers.size === 1)
      matched.set(first.endpoint, { id, usd: formatUsdc(first.price), payTo: from })
  }
  return matched
}

/** Finds the endpoints of a receiver that an amount funds; none if it has too many hosts to look at. */
async function findFunded(store: Store, networks: readonly string[], from: string, amount: bigint) {
  const { hosts, total } = await searchPaid(store, networks, from, MOST_HOSTS)
  if (total > MOST_HOSTS) return []
  const documents = await Promise.all(hosts.map((host) => readHost(store, host)))
  return documents
    .flatMap((document) => document?.endpoints ?? [])
    .flatMap((state) => {
      const price = fundedPrice(state)
      const isOwn = price !== null && state.payTo !== null && sameAddress(state.payTo, from)
      const { host, endpoint } = state
      const isMatch = isOwn && isFundable(state) && fundingAmount(endpoint, price) === amount
      return isMatch ? [{ host, endpoint, price }] : []
    })
}
