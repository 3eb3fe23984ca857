import { createInterface } from 'node:readline/promises'
import { readAccount } from '@touchstone402/guard/account'
import { run } from './run.ts'

const { TOUCHSTONE_URL, ENDPOINT_URL, FREE_UP_TO_USD } = process.env
if (!ENDPOINT_URL) {
  console.error('Set ENDPOINT_URL; TOUCHSTONE_URL and FREE_UP_TO_USD are optional.')
  process.exit(1)
}
const terminal = createInterface({ input: process.stdin, output: process.stdout })
const [result] = await run({
  touchstoneUrl: TOUCHSTONE_URL,
  endpointUrls: [ENDPOINT_URL],
  account: await readAccount(),
  freeUpToUsd: FREE_UP_TO_USD ?? '0.01',
  ask: async ({ intent: { amountUsd, host, payTo }, details }) =>
    (await terminal.question(
      `${details ?? ''} Pay $${amountUsd} to ${payTo} at ${host}? (yes/no) `.trimStart(),
    )) === 'yes',
})
terminal.close()
console.log(result?.paid ? 'Paid.' : `Not paid: ${result?.code ?? 'the endpoint failed'}`)
process.exitCode = result?.paid ? 0 : 1
