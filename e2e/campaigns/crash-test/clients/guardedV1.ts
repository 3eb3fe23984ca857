import { join } from 'node:path'
import { createGuard } from '@touchstone402/guard'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { wrapFetchWithPayment } from 'x402-fetch'
import { ownerPolicy } from './ownerPolicy.ts'

// The stock v1 client with the guard below it, and a ledger that outlives the run.
const { PRIVATE_KEY, TARGET_URL = '', HOME = '.' } = process.env
const account = privateKeyToAccount(PRIVATE_KEY as `0x${string}`)
const wallet = createWalletClient({ account, chain: base, transport: http('http://127.0.0.1:9') })
const ledger = await createFileLedger(join(HOME, 'spending.jsonl'))
const guard = createGuard({ account, ledger, policy: ownerPolicy() })
// Its types are for another version of viem.
const pay = wrapFetchWithPayment(guard.fetch(fetch) as typeof fetch, wallet as never)
try {
  const response = await pay(TARGET_URL)
  console.log(response.status, await response.text())
} finally {
  await ledger.close()
}
