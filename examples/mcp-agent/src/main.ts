import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { run } from './run.ts'

const { TOUCHSTONE_URL, ENDPOINT_URL, PRIVATE_KEY, PRIVATE_KEY_FILE, ALLOW_PRIVATE_HOSTS } = process.env
const key = PRIVATE_KEY_FILE
  ? { PRIVATE_KEY_FILE: resolve(PRIVATE_KEY_FILE) }
  : PRIVATE_KEY && { PRIVATE_KEY }
if (!TOUCHSTONE_URL || !ENDPOINT_URL || !key) {
  console.error('Set TOUCHSTONE_URL, ENDPOINT_URL and PRIVATE_KEY_FILE (a file of mode 600) or PRIVATE_KEY.')
  process.exit(1)
}
const transport = new StdioClientTransport({
  command: 'npx',
  args: [
    '@touchstone402/guard',
    'mcp',
    ...['--ledger', resolve('spending.jsonl')],
    // Only for sellers on this machine, such as those of the demonstration.
    ...(ALLOW_PRIVATE_HOSTS ? ['--allow-private-hosts'] : []),
  ],
  env: { TOUCHSTONE_URL, ...key, PATH: process.env.PATH ?? '' },
  // The folder in which npx finds the guard.
  cwd: fileURLToPath(new URL('..', import.meta.url)),
})
for (const { endpointUrl, label, text } of await run({ transport, endpointUrls: [ENDPOINT_URL] })) {
  console.log(`${endpointUrl}: ${label}\n${text}`)
}
