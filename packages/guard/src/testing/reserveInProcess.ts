import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { createFileLedger } from '../node/fileLedger.ts'
import { aRequest } from './requests.ts'

// Makes concurrent reservations of $0.01 against a budget of $0.10 and reports how many succeeded.
const [path = '', count = '0'] = process.argv.slice(2)
const limits = budgetLimits(parsePolicy({ maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10' }))
const ledger = await createFileLedger(path)
const results = await Promise.all(
  Array.from({ length: Number(count) }, (_, index) =>
    ledger.reserve(aRequest({ call: `GET https://a.example/x?${process.pid}-${index}` }), limits),
  ),
)
process.send?.(results.filter(({ ok }) => ok).length)
await ledger.close()
