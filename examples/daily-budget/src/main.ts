import { run } from './run.ts'

const { TOUCHSTONE_URL, ENDPOINT_URL, PRIVATE_KEY, LEDGER_FILE, BUDGET_USD } = process.env
if (!ENDPOINT_URL || !PRIVATE_KEY?.startsWith('0x')) {
  console.error(
    'Set ENDPOINT_URL and PRIVATE_KEY (0x…); TOUCHSTONE_URL, LEDGER_FILE and BUDGET_USD are optional.',
  )
  process.exit(1)
}
const { bought, stoppedBy, spentUsdMicros } = await run({
  touchstoneUrl: TOUCHSTONE_URL,
  endpointUrl: ENDPOINT_URL,
  privateKey: `0x${PRIVATE_KEY.slice(2)}`,
  ledgerFile: LEDGER_FILE ?? 'spending.jsonl',
  budgetUsd: BUDGET_USD ?? '0.05',
})
console.log(
  `Paid ${bought} calls, stopped by ${stoppedBy}. Total spent: ${spentUsdMicros} millionths of a dollar.`,
)
