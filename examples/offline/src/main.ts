import { readAccount } from '@touchstone402/guard/account'
import { run } from './run.ts'

const { TOUCHSTONE_URL, ENDPOINT_URL, MAP_FILE } = process.env
if (!TOUCHSTONE_URL || !ENDPOINT_URL) {
  console.error('Set TOUCHSTONE_URL and ENDPOINT_URL; MAP_FILE is optional.')
  process.exit(1)
}
const { paid, message, entries, askedAfterCut } = await run({
  touchstoneUrl: TOUCHSTONE_URL,
  endpointUrl: ENDPOINT_URL,
  account: await readAccount(),
  mapFile: MAP_FILE ?? 'map',
})
console.log(`${entries} verdicts on this machine; ${askedAfterCut} requests to the service since the cut.`)
console.log(paid ? `Paid: ${message}` : `Not paid: ${message}`)
