import { OPERATIONS, PAID_OPERATIONS, usdToAtomic } from '@touchstone402/shared'
import type { PrivateKeyAccount } from 'viem/accounts'
import { denying } from '../../support/facilitatorAnswers.ts'
import type { FaultyFacilitator } from '../../support/faultyFacilitator.ts'
import type { Shop } from '../../support/shop.ts'
import { signFor } from '../../support/sign.ts'

/** The endpoint that small answers know. */
const KNOWN = 'https://known.example/'

type Deps = {
  shop: Shop
  facilitator: FaultyFacilitator
  newPayer(): Promise<PrivateKeyAccount>
  isUsed(payment: { payer: `0x${string}`; nonce: `0x${string}` }): Promise<boolean>
}

/** Has the facilitator settle what it denied, on every route. The next equal call must be answered without another payment. */
export async function settleLate({ shop, facilitator, newPayer, isUsed }: Deps) {
  const mismatches: string[] = []
  let settled = 0
  let earned = 0n
  for (const id of PAID_OPERATIONS) {
    for (const version of [1, 2] as const) {
      const account = await newPayer()
      const query = new URLSearchParams({ ...OPERATIONS[id].sampleQuery, endpoint: KNOWN })
      const url = `${shop.origin}${OPERATIONS[id].path}?${query}`
      await facilitator.set({ settle: denying('before') })
      const denied = await signFor(url, account, version)
      const first = await fetch(url, { headers: denied.headers })
      await facilitator.settleLast()
      settled += 1
      earned += usdToAtomic(OPERATIONS[id].priceUsd)
      await facilitator.set({})
      const next = await signFor(url, account, version)
      const second = await fetch(url, { headers: next.headers })
      const isCharged = await isUsed({ payer: account.address, nonce: next.nonce })
      // Where the chain makes no blocks in time, the first call ends as unknown.
      if (![402, 503].includes(first.status) || second.status !== 200 || isCharged)
        mismatches.push(`late ${id} v${version}: ${first.status}, ${second.status}, ${isCharged}`)
    }
  }
  return { settled, earned, mismatches }
}
