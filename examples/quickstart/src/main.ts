import { readAccount } from '@touchstone402/guard/account'
import { run } from './run.ts'

const { TOUCHSTONE_URL, ENDPOINT_URL } = process.env
if (!ENDPOINT_URL) {
  console.error('Set ENDPOINT_URL; TOUCHSTONE_URL is optional.')
  process.exit(1)
}
const account = await readAccount()
const { paid, message } = await run({ touchstoneUrl: TOUCHSTONE_URL, endpointUrl: ENDPOINT_URL, account })
console.log(message)
process.exitCode = paid ? 0 : 1
