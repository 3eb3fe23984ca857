import { appendFileSync } from 'node:fs'
import { createGuard, isGuardError } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { createPostgresLedger } from '@touchstone402/guard/postgres'
import { privateKeyToAccount } from 'viem/accounts'

// Makes calls to distinct URLs at once, on a ledger that other processes share. Its wallet logs each signature before
// it returns it.
const { key, service, endpoint, database, name, signatures, budgetUsd, first, calls } = JSON.parse(
  process.argv[2] ?? '{}',
)
const account = privateKeyToAccount(key)
const signTypedData: typeof account.signTypedData = (data) => {
  const { nonce } = data.message as Record<string, unknown>
  appendFileSync(signatures, `${String(nonce)}\n`)
  return account.signTypedData(data)
}
const ledger = await createPostgresLedger({ url: database, name, connections: 2 })
const guard = createGuard({
  service: { url: service },
  ledger,
  policy: {
    maxPerDayUsd: budgetUsd,
    maxPerHostPerDayUsd: '1000',
    velocity: { perHostPerMinute: 100_000, identicalPerMinute: 100_000 },
  },
})
const pay = createGuardedFetch({ account: { ...account, signTypedData }, guard })

process.send?.('ready')
await new Promise((start) => process.once('message', start))
const results = await Promise.all(
  Array.from({ length: calls }, (_, index) =>
    pay(`${endpoint}?call=${first + index}`).then(
      async (response) => ((await response.text()) === 'sunny' ? 'paid' : String(response.status)),
      (error: unknown) => (isGuardError(error) ? error.code : String(error)),
    ),
  ),
)
process.send?.(results)
await ledger.close()
process.disconnect?.()
