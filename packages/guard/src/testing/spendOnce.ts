import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { openDefaultLedger } from '../node/defaultLedger.ts'
import { aRequest } from './requests.ts'

// Reserves $0.01 of a budget of $0.10 in the default ledger and prints the result.
const limits = budgetLimits(parsePolicy({ maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10' }))
const { ledger } = await openDefaultLedger('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
const result = await ledger.reserve(aRequest({ call: `GET https://a.example/x?${process.pid}` }), limits)
process.stdout.write(result.ok ? 'reserved' : result.code)
await ledger.close()
