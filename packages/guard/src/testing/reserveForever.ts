import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { createFileLedger } from '../node/fileLedger.ts'
import { aRequest } from './requests.ts'

// Reserves $0.01 again and again, reports each reservation, and compacts after every third.
const [path = ''] = process.argv.slice(2)
const policy = parsePolicy({
  maxPerDayUsd: '1000',
  maxPerHostPerDayUsd: '1000',
  velocity: { perHostPerMinute: 100_000, identicalPerMinute: 100_000 },
})
const ledger = await createFileLedger(path)
for (let count = 0; ; count++) {
  const { ok } = await ledger.reserve(aRequest(), budgetLimits(policy))
  if (ok) process.send?.('reserved')
  if (count % 3 === 2) await ledger.compact()
}
