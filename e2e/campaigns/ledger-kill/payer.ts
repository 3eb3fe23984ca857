import { openSync, writeSync } from 'node:fs'
import { createGuard } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

// Pays calls sequentially until it is killed. Its wallet logs each signature before it returns it.
const { key, service, endpoint, ledger: path, signatures, seat } = JSON.parse(process.argv[2] ?? '{}')
const account = privateKeyToAccount(key)
const file = openSync(signatures, 'a')
const signTypedData: typeof account.signTypedData = (data) => {
  const { nonce } = data.message as Record<string, unknown>
  writeSync(file, `${String(nonce)}\n`)
  return account.signTypedData(data)
}
const wallet = { ...account, signTypedData }
const ledger = await createFileLedger(path)
const guard = createGuard({
  service: { url: service },
  ledger,
  policy: {
    maxPerDayUsd: '1000',
    maxPerHostPerDayUsd: '1000',
    velocity: { perHostPerMinute: 100_000, identicalPerMinute: 100_000 },
  },
})
const pay =
  seat === 'account'
    ? createGuardedFetch({ account: wallet, guard })
    : wrapFetchWithPayment(
        guard.fetch() as typeof fetch,
        registerExactEvmScheme(new x402Client(), { signer: wallet }),
      )

for (let call = 0; ; call++) {
  const response = await pay(`${endpoint}?call=${call}`)
  await response.text()
  if (response.status !== 200) throw new Error(`not paid: ${response.status}`)
  // Ready for kills after the first call, which also fetches keys and a verdict.
  if (call === 0) process.send?.('ready')
}
