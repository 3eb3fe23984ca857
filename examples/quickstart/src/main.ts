import { run } from './run.ts'

const { TOUCHSTONE_URL, ENDPOINT_URL, PRIVATE_KEY } = process.env
if (!ENDPOINT_URL || !PRIVATE_KEY?.startsWith('0x')) {
  console.error('Set ENDPOINT_URL and PRIVATE_KEY (0x…); TOUCHSTONE_URL is optional.')
  process.exit(1)
}
const privateKey: `0x${string}` = `0x${PRIVATE_KEY.slice(2)}`
const { paid, message } = await run({ touchstoneUrl: TOUCHSTONE_URL, endpointUrl: ENDPOINT_URL, privateKey })
console.log(message)
process.exitCode = paid ? 0 : 1
