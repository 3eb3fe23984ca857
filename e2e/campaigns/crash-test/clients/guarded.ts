import { join } from 'node:path'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { privateKeyToAccount } from 'viem/accounts'

// The stock v2 client with the guard in front: its default policy, the owner's budget, and a ledger that outlives the run.
const { PRIVATE_KEY, TARGET_URL = '', BUDGET_USD = '1.00', HOME = '.' } = process.env
const account = privateKeyToAccount(PRIVATE_KEY as `0x${string}`)
const ledger = await createFileLedger(join(HOME, 'spending.jsonl'))
const pay = createGuardedFetch({ account, ledger, policy: { maxTotalUsd: BUDGET_USD } })
try {
  const response = await pay(TARGET_URL)
  console.log(response.status, await response.text())
} finally {
  await ledger.close()
}
