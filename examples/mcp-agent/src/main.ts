import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { run } from './run.ts'

const { TOUCHSTONE_URL, ENDPOINT_URL, PRIVATE_KEY_FILE } = process.env
if (!TOUCHSTONE_URL || !ENDPOINT_URL || !PRIVATE_KEY_FILE) {
  console.error('Set TOUCHSTONE_URL, ENDPOINT_URL and PRIVATE_KEY_FILE (a file of mode 600).')
  process.exit(1)
}
const transport = new StdioClientTransport({
  command: 'npx',
  args: ['touchstone', 'mcp', '--ledger', 'spending.jsonl'],
  env: { TOUCHSTONE_URL, PRIVATE_KEY_FILE, PATH: process.env.PATH ?? '' },
})
for (const { endpointUrl, label, text } of await run({ transport, endpointUrls: [ENDPOINT_URL] })) {
  console.log(`${endpointUrl}: ${label}\n${text}`)
}
