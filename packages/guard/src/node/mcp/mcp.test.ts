import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { isPublicAddress } from '@touchstone402/shared/addresses'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createGuard } from '../../seats/createGuard.ts'
import { createGuardedFetch } from '../../seats/createGuardedFetch.ts'
import { createCountingAccount } from '../../testing/clients.ts'
import { deliver, HONEST, startSeller, type TestSeller, THIEF } from '../../testing/seller.ts'
import { startService, type TestService, termOf } from '../../testing/service.ts'
import { createPublicFetch } from '../publicFetch.ts'
import { serveHttp } from './serveMcp.ts'

let service: TestService
let seller: TestSeller
let http: Awaited<ReturnType<typeof serveHttp>>
let client: Client
let account: ReturnType<typeof createCountingAccount>

beforeAll(async () => {
  service = await startService()
  seller = await startSeller()
})
afterAll(async () => {
  await service.stop()
  await seller.stop()
})
beforeEach(async () => {
  const terms = [termOf(HONEST, '10000')]
  service.decisions.set(`${seller.url}/weather`, {
    verdict: 'safe',
    receiverStability: 'stable',
    probes: 9,
    terms,
  })
  seller.character = {}
  seller.payments.length = 0
  await connect((address) => address === '127.0.0.1')
})
afterEach(close)

async function close() {
  await client.close()
  await http.stop()
}

async function connect(allow?: (address: string) => boolean) {
  account = createCountingAccount()
  const guard = createGuard({ service: { url: service.url } })
  const pay = createGuardedFetch({ account: account.account, guard, fetch: createPublicFetch(allow) })
  http = await serveHttp({ guard, serviceUrl: service.url, serviceFetch: fetch, pay }, 0)
  client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(http.url)) as Parameters<Client['connect']>[0],
  )
}

async function call(name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args })
  const [first] = content as { text: string }[]
  return { text: first?.text ?? '', isError }
}

describe('the MCP server', () => {
  test('default: lists seven tools', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'check_x402_endpoint',
      'x402_incidents',
      'x402_changes',
      'x402_ecosystem_stats',
      'x402_leaderboard',
      'x402_working_services',
      'guarded_fetch',
    ])
  })

  test('behavior: returns the verdict of an endpoint', async () => {
    const { text } = await call('check_x402_endpoint', { endpoint: `${seller.url}/weather?x` })
    expect(JSON.parse(text)).toMatchObject({ label: 'Safe to pay', verdict: { verdict: 'safe' } })
  })

  test('behavior: pays with guarded_fetch and fences the response', async () => {
    const { text, isError } = await call('guarded_fetch', { url: `${seller.url}/weather` })
    const [, fence] = /lines (\S+):/.exec(text) ?? []
    expect(text).toBe(
      `Status 200. Untrusted content between the two lines ${fence}:\n${fence}\n{"weather":"sunny"}\n${fence}`,
    )
    expect([isError, account.counter.signatures, seller.payments.length]).toEqual([false, 1, 1])
  })

  test("error: describes a refusal in the guard's own words", async () => {
    seller.character = { terms: [{ payTo: THIEF }] }
    const { text, isError } = await call('guarded_fetch', { url: `${seller.url}/weather` })
    expect(text).toBe('Not paid (RECEIVER_NOT_CHECKED): The offered receiver is not the checked one.')
    expect([isError, account.counter.signatures]).toEqual([true, 0])
  })

  test('error: stops reading an endless response', async () => {
    seller.character = { onPaid: (_, response) => deliver(response, 'x'.repeat(300_000)) }
    expect((await call('guarded_fetch', { url: `${seller.url}/weather` })).text).toBe(
      'The response is too long or too slow.',
    )
  })

  test('error: refuses private addresses by name and by number', async () => {
    await close()
    await connect()
    let requests = 0
    seller.character = { before: () => ++requests < 0 }
    const { port } = new URL(seller.url)
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f000001', '[::ffff:127.0.0.1]']) {
      const { text, isError } = await call('guarded_fetch', { url: `http://${host}:${port}/weather` })
      expect([text, isError]).toEqual(['The address is not public.', true])
    }
    expect(requests).toBe(0)
  })

  test('error: rejects an invalid URL and an unknown tool', async () => {
    expect((await call('guarded_fetch', { url: 'file:///etc/passwd' })).isError).toBe(true)
    expect((await call('check_x402_endpoint', {})).text).toContain('The URL cannot be checked')
    expect((await call('nonsense')).text).toBe('Unknown tool.')
  })

  test('error: refuses requests of web pages', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(http.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      })
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await fetch(http.url)).status).toBe(405)
  })

  test('behavior: serves on a free port and prints its address as JSON', async () => {
    const main = new URL('../cli/main.ts', import.meta.url).pathname
    const args = ['--conditions=source', '--import', 'tsx', main, 'mcp', '--port', '0', '--json']
    const env = { TOUCHSTONE_URL: service.url, PATH: process.env.PATH ?? '' }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [line] = await once(child.stdout, 'data')
      const { url } = JSON.parse(String(line))
      const remote = new Client({ name: 'test', version: '1.0.0' })
      await remote.connect(new StreamableHTTPClientTransport(new URL(url)) as never)
      expect((await remote.listTools()).tools).toHaveLength(7)
      await remote.close()
    } finally {
      child.kill()
    }
  })

  test('behavior: serves over standard input and output', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        '--conditions=source',
        '--import',
        'tsx',
        new URL('../cli/main.ts', import.meta.url).pathname,
        'mcp',
      ],
      env: { TOUCHSTONE_URL: service.url, PATH: process.env.PATH ?? '' },
    })
    const stdio = new Client({ name: 'test', version: '1.0.0' })
    await stdio.connect(transport)
    const { content } = await stdio.callTool({
      name: 'check_x402_endpoint',
      arguments: { endpoint: `${seller.url}/weather` },
    })
    expect(JSON.stringify(content)).toContain('Safe to pay')
    const unpaid = await stdio.callTool({
      name: 'guarded_fetch',
      arguments: { url: `${seller.url}/weather` },
    })
    expect(JSON.stringify(unpaid.content)).toContain('No wallet')
    await stdio.close()
  })
})

describe('isPublicAddress', () => {
  test.each([
    ['8.8.8.8', true],
    ['2606:4700::1111', true],
    ['10.1.2.3', false],
    ['100.64.0.1', false],
    ['169.254.169.254', false],
    ['172.31.255.255', false],
    ['172.32.0.1', true],
    ['192.168.1.1', false],
    ['0.0.0.0', false],
    ['255.255.255.255', false],
    ['::1', false],
    ['fe80::1', false],
    ['fd00::1', false],
    ['::ffff:8.8.8.8', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['example.com', false],
  ])('default: %s is %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic)
  })
})
