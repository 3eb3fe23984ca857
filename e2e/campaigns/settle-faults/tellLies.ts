import { setTimeout as sleep } from 'node:timers/promises'
import { OPERATIONS, PAID_OPERATIONS, usdToAtomic } from '@touchstone402/shared'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { claiming } from '../../support/facilitatorAnswers.ts'
import type { FaultyFacilitator } from '../../support/faultyFacilitator.ts'
import type { Shop } from '../../support/shop.ts'
import { signFor } from '../../support/sign.ts'

type Deps = {
  shop: Shop
  facilitator: FaultyFacilitator
  reconcile(): Promise<{ readonly missing: number }>
  mine(): Promise<void>
}

/** Number of cheap answers that a lying facilitator gets delivered before it is no longer trusted. */
const MAX_DELIVERED = 3
const WAITS_FROM = usdToAtomic('0.10')

/** Has the facilitator lie on every route about payers who have nothing. Every lie must end as missing. */
export async function tellLies({ shop, facilitator, reconcile, mine }: Deps) {
  const mismatches: string[] = []
  let told = 0
  let delivered = 0
  await facilitator.set({ verify: claiming('before'), settle: claiming('before') })
  for (const id of PAID_OPERATIONS) {
    for (const version of [1, 2] as const) {
      const pauper = privateKeyToAccount(generatePrivateKey())
      const query = new URLSearchParams({ ...OPERATIONS[id].sampleQuery, endpoint: 'https://known.example/' })
      const url = `${shop.origin}${OPERATIONS[id].path}?${query}`
      const { headers } = await signFor(url, pauper, version)
      const { status } = await fetch(url, { headers })
      told += 1
      if (status === 200) delivered += 1
      if (status === 200 && usdToAtomic(OPERATIONS[id].priceUsd) >= WAITS_FROM) {
        mismatches.push(`lie ${id} v${version}: delivered`)
      }
      for (let missing = 0; missing < told; { missing } = await reconcile()) {
        await mine()
        await sleep(100)
      }
    }
  }
  await facilitator.set({})
  if (delivered > MAX_DELIVERED) mismatches.push(`${delivered} answers delivered for lies`)
  return { told, delivered, mismatches }
}
