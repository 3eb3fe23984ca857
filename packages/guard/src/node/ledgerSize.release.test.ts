import { expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { useLedgerFile } from '../testing/ledgerFile.ts'
import { aRequest } from '../testing/requests.ts'

const l = useLedgerFile()
let call = 0

test('error: a ledger of 60 MB of recent payments opens in seconds of processor time', async () => {
  const wide = budgetLimits(
    parsePolicy({ velocity: { perHostPerMinute: 100_000, identicalPerMinute: 100_000 } }),
  )
  const ledger = await l.open()
  const once = { body: '', callKey: 'k'.repeat(30_000), payer: null }
  for (let batch = 0; batch < 20; batch++) {
    const requests = Array.from({ length: 100 }, () =>
      aRequest({ usdMicros: 1n, amountAtomic: '1', call: `${++call}`, once }),
    )
    await Promise.all(requests.map((one) => ledger.reserve(one, wide)))
  }
  // Processor time, since other tests run beside: this file has its process to itself.
  const before = process.cpuUsage()
  await ledger.compact()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(5)
}, 120_000)
