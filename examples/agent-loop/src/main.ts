import { run } from './run.ts'

const { TOUCHSTONE_URL, PRIVATE_KEY, BUDGET_USD } = process.env
if (!TOUCHSTONE_URL || !PRIVATE_KEY?.startsWith('0x')) {
  console.error('Set TOUCHSTONE_URL and PRIVATE_KEY (0x…); BUDGET_USD is optional.')
  process.exit(1)
}
const privateKey: `0x${string}` = `0x${PRIVATE_KEY.slice(2)}`
for (const result of await run({
  touchstoneUrl: TOUCHSTONE_URL,
  privateKey,
  ...(BUDGET_USD === undefined ? {} : { budgetUsd: BUDGET_USD }),
})) {
  console.log(`${result.outcome}  ${result.endpoint}  ${'code' in result ? result.code : result.status}`)
}
