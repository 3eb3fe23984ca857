import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { useProxyHarness } from '../../testing/proxyHarness.ts'
import { run } from './run.ts'

/** The built command. */
const BIN = fileURLToPath(new URL('../../../bin/touchstone.js', import.meta.url))
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const harness = useProxyHarness()
let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mcp-'))
  await writeFile(join(home, 'key'), KEY, { mode: 0o600 })
})
afterEach(() => rm(home, { recursive: true }))

const environment = () => ({
  HOME: home,
  XDG_STATE_HOME: '',
  PATH: process.env.PATH ?? '',
  TOUCHSTONE_URL: harness.service.url,
})
const withKey = () => ({ ...environment(), PRIVATE_KEY_FILE: join(home, 'key') })

async function start(env: Record<string, string>, ...args: string[]) {
  const words = [BIN, 'mcp', '--port', '0', '--json', '--allow-private-hosts', ...args]
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface(child.stdout), 'line')
  const { url, tokenFile }: { url: string; tokenFile: string } = JSON.parse(line)
  const headers = { Authorization: `Bearer ${await readFile(tokenFile, 'utf8')}` }
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as never)
  const stop = async () => {
    await client.close()
    child.kill('SIGTERM')
    return (await once(child, 'close'))[0]
  }
  return { url, tokenFile, client, stop }
}

async function cli(...words: string[]) {
  const printed: string[] = []
  const io = {
    ...NO_STREAMS,
    out: (text: string) => void printed.push(text),
    err: (text: string) => void printed.push(text),
  }
  return { code: await run(words, { ...io, env: withKey(), fetch }), text: printed.join('\n') }
}

test('default: serves on a free port, for clients with the token of a file that it creates', async () => {
  const mcp = await start(environment())
  expect((await mcp.client.listTools()).tools).toHaveLength(12)
  expect(mcp.tokenFile).toBe(join(home, '.local/state/touchstone/mcp/tokens/mcp'))
  expect(((await stat(mcp.tokenFile)).mode & 0o777).toString(8)).toBe('600')
  expect((await fetch(mcp.url, { method: 'POST' })).status).toBe(401)
  expect(await mcp.stop()).toBe(0)
})

test('behavior: keeps the token in the given file, and the command approve answers what waits', async () => {
  const tokenFile = join(home, 'token')
  const mcp = await start(withKey(), '--token-file', tokenFile)
  expect(mcp.tokenFile).toBe(tokenFile)
  const url = `${harness.seller.url}/weather`
  harness.service.decisions.set(url, { ...harness.service.decisions.get(url), verdict: 'caution' })
  const call = () => mcp.client.callTool({ name: 'guarded_fetch', arguments: { url } })
  const [, id = ''] = /touchstone approve ([0-9a-f]{12})/.exec(JSON.stringify(await call())) ?? []
  expect((await cli('approve')).text).toContain(`${id}  task mcp\n`)
  expect((await cli('approve', id)).text).toContain(`${id} is approved.`)
  expect((await call()).isError).toBe(false)
  expect(await mcp.stop()).toBe(0)
  expect((await cli('approve')).text).toContain('there is none yet')
})

test('error: refuses a token that others can read, and a token file without a port', async () => {
  const open = join(home, 'open')
  await writeFile(open, 'x'.repeat(43), { mode: 0o644 })
  expect((await cli('mcp', '--port', '0', '--token-file', open)).text).toContain('other users can read it')
  expect((await cli('mcp', '--token-file', open)).text).toBe('--token-file: needs --port')
  expect((await cli('mcp', '--port', 'x')).text).toBe('--port: expected a number')
})

test('behavior: serves over standard input and output, without a token', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp'],
    env: environment(),
  })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  const ask = async (name: string) => {
    const { content } = await client.callTool({ name, arguments: { url: `${harness.seller.url}/weather` } })
    return JSON.stringify(content)
  }
  expect(await ask('check_x402_endpoint')).toContain('Safe to pay')
  expect(await ask('guarded_fetch')).toContain('No wallet')
  await client.close()
})
