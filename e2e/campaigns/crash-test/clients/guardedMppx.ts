import { join } from 'node:path'
import { createGuard } from '@touchstone402/guard'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { createMpp } from '@touchstone402/guard/mpp'
import { evm, Mppx } from 'mppx/client'
import { assets } from 'mppx/evm'
import { privateKeyToAccount } from 'viem/accounts'
import { ownerPolicy } from './ownerPolicy.ts'

// The stock MPP client with the guard below it and as its account, and a ledger that outlives the run.
const { PRIVATE_KEY, TARGET_URL = '', HOME = '.' } = process.env
const account = privateKeyToAccount(PRIVATE_KEY as `0x${string}`)
const ledger = await createFileLedger(join(HOME, 'spending.jsonl'))
const guard = createGuard({ account, ledger, mpp: createMpp(), policy: ownerPolicy() })
const charge = evm.charge({ account: guard.account(account) as never, currencies: [assets.base.USDC] })
const { fetch: pay } = Mppx.create({
  fetch: guard.fetch() as typeof fetch,
  methods: [charge],
  polyfill: false,
})
try {
  const response = await pay(TARGET_URL)
  console.log(response.status, await response.text())
} finally {
  await ledger.close()
}
