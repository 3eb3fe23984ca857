import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

export type McpAgentOptions = {
  /** Transport to the guard's MCP server. */
  transport: Transport
  endpointUrls: readonly string[]
}

export type McpAgentResult = { endpointUrl: string; label: string; bought: boolean; text: string }

/** Checks each endpoint over MCP and has the guard's server pay the safe ones. The agent itself has no wallet. */
export async function run({ transport, endpointUrls }: McpAgentOptions): Promise<McpAgentResult[]> {
  const client = new Client({ name: 'mcp-agent', version: '1.0.0' })
  await client.connect(transport)
  try {
    const results: McpAgentResult[] = []
    for (const endpointUrl of endpointUrls) {
      const checked = await call(client, 'check_x402_endpoint', { url: endpointUrl })
      const label = checked.isError ? 'Unavailable' : String(JSON.parse(checked.text).label)
      if (label !== 'Safe to pay') {
        results.push({ endpointUrl, label, bought: false, text: '' })
        continue
      }
      const { text, isError } = await call(client, 'guarded_fetch', { url: endpointUrl })
      results.push({ endpointUrl, label, bought: !isError, text })
    }
    return results
  } finally {
    await client.close()
  }
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args })
  const [first] = Array.isArray(content) ? content : []
  return { text: String(first?.text ?? ''), isError: isError === true }
}
