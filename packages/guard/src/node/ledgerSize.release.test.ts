import { expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { useLedgerFile } from '../testing/ledgerFile.ts'
import { aRequest } from '../testing/requests.ts'

const l = useLedgerFile()
let call = 0

test('error: a ledger of 60 MB of recent payments opens in about the processor time that writing it takes', async () => {
  const wide = budgetLimits(
    parsePolicy({ velocity: { perHostPerMinute: 100_000, identicalPerMinute: 100_000 } }),
  )
  const ledger = await l.open()
  const once = { body: '', callKey: 'k'.repeat(30_000), payer: null }
  const written = await timed(async () => {
    for (let batch = 0; batch < 20; batch++) {
      const requests = Array.from({ length: 100 }, () =>
        aRequest({ usdMicros: 1n, amountAtomic: '1', call: `${++call}`, once }),
      )
      await Promise.all(requests.map((one) => ledger.reserve(one, wide)))
    }
  })
  const opened = await timed(() => ledger.compact())
  expect(opened / written).toBeLessThan(2)
}, 120_000)

/** Returns the seconds of processor time of an action. Other tests run beside it, in processes of their own. */
async function timed(action: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await action()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
