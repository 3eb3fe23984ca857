import { run } from './run.ts'

const { TOUCHSTONE_URL, ENDPOINT_URL, PRIVATE_KEY, MAP_FILE } = process.env
if (!TOUCHSTONE_URL || !ENDPOINT_URL || !PRIVATE_KEY?.startsWith('0x')) {
  console.error('Set TOUCHSTONE_URL, ENDPOINT_URL and PRIVATE_KEY (0x…); MAP_FILE is optional.')
  process.exit(1)
}
const { paid, message, entries, askedAfterCut } = await run({
  touchstoneUrl: TOUCHSTONE_URL,
  endpointUrl: ENDPOINT_URL,
  privateKey: `0x${PRIVATE_KEY.slice(2)}`,
  mapFile: MAP_FILE ?? 'map',
})
console.log(`${entries} verdicts on this machine; ${askedAfterCut} requests to the service since the cut.`)
console.log(paid ? `Paid: ${message}` : `Not paid: ${message}`)
