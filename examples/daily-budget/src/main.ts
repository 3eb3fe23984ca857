import { readAccount } from '@touchstone402/guard/account'
import { run } from './run.ts'

const { TOUCHSTONE_URL, ENDPOINT_URL, LEDGER_FILE, BUDGET_USD } = process.env
if (!ENDPOINT_URL) {
  console.error('Set ENDPOINT_URL; TOUCHSTONE_URL, LEDGER_FILE and BUDGET_USD are optional.')
  process.exit(1)
}
const { bought, stoppedBy, spentUsdMicros } = await run({
  touchstoneUrl: TOUCHSTONE_URL,
  endpointUrl: ENDPOINT_URL,
  account: await readAccount(),
  ledgerFile: LEDGER_FILE ?? 'spending.jsonl',
  budgetUsd: BUDGET_USD ?? '0.05',
})
console.log(
  `Paid ${bought} calls, stopped by ${stoppedBy}. Total spent: ${spentUsdMicros} millionths of a dollar.`,
)
