import { readAccount } from '@touchstone402/guard/account'
import { run } from './run.ts'

const { TOUCHSTONE_URL, BUDGET_USD } = process.env
if (!TOUCHSTONE_URL) {
  console.error('Set TOUCHSTONE_URL; BUDGET_USD is optional.')
  process.exit(1)
}
const account = await readAccount()
for (const result of await run({
  touchstoneUrl: TOUCHSTONE_URL,
  account,
  ...(BUDGET_USD === undefined ? {} : { budgetUsd: BUDGET_USD }),
})) {
  console.log(`${result.outcome}  ${result.endpoint}  ${'code' in result ? result.code : result.status}`)
}
