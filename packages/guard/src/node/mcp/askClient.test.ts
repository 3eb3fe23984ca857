import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import { createGuard, type GuardOptions } from '../../integrations/createGuard.ts'
import { createGuardedFetch } from '../../integrations/createGuardedFetch.ts'
import { createCountingAccount } from '../../testing/clients.ts'
import { listen } from '../../testing/listen.ts'
import { HONEST, startSeller } from '../../testing/seller.ts'
import { startService, termOf, USDC } from '../../testing/service.ts'
import { createPublicFetch } from '../publicFetch.ts'
import { askMcpClient, createMcpServer } from './createMcpServer.ts'

type Answer = (request: ElicitRequest) => ElicitResult | Promise<ElicitResult>

/** The two ends of a connection: of the server and of the client. */
type Ends = [Transport, Transport]

/** Connects by standard input and output, as far as the server knows. */
async function openStdio(): Promise<Ends> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const buffer = new ReadBuffer()
  const client: Transport = {
    async start() {
      output.on('data', (chunk) => {
        buffer.append(chunk)
        for (let one = buffer.readMessage(); one !== null; one = buffer.readMessage()) client.onmessage?.(one)
      })
    },
    async send(message) {
      input.write(serializeMessage(message))
    },
    async close() {
      client.onclose?.()
    },
  }
  return [new StdioServerTransport(input, output), client]
}

/** Connects over HTTP with a session, by which the server can ask its client. */
async function openHttp(): Promise<Ends> {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID })
  const { url, stop } = await listen((request, response) => void transport.handleRequest(request, response))
  onTestFinished(stop)
  return [transport as Transport, new StreamableHTTPClientTransport(new URL(url)) as Transport]
}

/** The stock MCP client, whose call meets a payment that the policy asks about. */
async function call(answer: Answer | null, options: GuardOptions = {}, open = openStdio) {
  const [service, seller] = [await startService(), await startSeller()]
  const url = `${seller.url}/weather`
  const terms = [termOf(HONEST, '10000')]
  service.decisions.set(url, { verdict: 'caution', receiverStability: 'stable', probes: 9, terms })
  const { account, counter } = createCountingAccount()
  const guard = createGuard({ service: { url: service.url }, ask: askMcpClient, ...options })
  const fetch = createPublicFetch({ serviceUrl: service.url, allowPrivateHosts: true })
  const server = createMcpServer({ guard, pay: createGuardedFetch({ account, guard, fetch }) })
  const capabilities = answer === null ? {} : { elicitation: {} }
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities })
  const asked: ElicitRequest['params'][] = []
  if (answer !== null)
    client.setRequestHandler(ElicitRequestSchema, (request) => {
      asked.push(request.params)
      return answer(request)
    })
  const [left, right] = await open()
  await Promise.all([server.connect(left), client.connect(right)])
  onTestFinished(async () => {
    await client.close()
    await Promise.all([seller.stop(), service.stop()])
  })
  const { isError, structuredContent } = await client.callTool({ name: 'guarded_fetch', arguments: { url } })
  const { paid, reason } = structuredContent as Record<string, unknown>
  return {
    isError,
    paid,
    reason,
    asked,
    url,
    signatures: counter.signatures,
    paidCalls: seller.payments.length,
  }
}

test('default: a person who says yes pays', async () => {
  const { isError, paid, asked, url, signatures, paidCalls } = await call(() => ({
    action: 'accept',
    content: { pay: true },
  }))
  expect([isError, paid, signatures, paidCalls]).toEqual([false, true, 1, 1])
  const host = new URL(url).host
  expect(asked).toMatchObject([
    {
      message: [
        `Pay $0.01 to ${host}?`,
        `Price now: $0.01 (token ${USDC} on Base)`,
        'Price before: nothing was paid here',
        `Receiver now: ${HONEST}`,
        'Receiver before: none',
        `Call: GET ${url}`,
        'Body: none',
        'Why: The service advises caution.',
        'Budget left: $1.00',
      ].join('\n'),
      requestedSchema: { properties: { pay: { type: 'boolean' } }, required: ['pay'] },
    },
  ])
})

test.each<[string, Answer | null, GuardOptions?]>([
  ['a person who says no', () => ({ action: 'accept', content: { pay: false } })],
  ['a person who declines', () => ({ action: 'decline' })],
  ['a person who closes the question', () => ({ action: 'cancel' })],
  ['an answer of another form', () => ({ action: 'accept', content: { pay: 'yes' } })],
  ['an answer without content', () => ({ action: 'accept' })],
  ['a client that fails', () => Promise.reject(new Error('no window'))],
  ['a person who does not answer in time', () => new Promise(() => {}), { askTimeoutMs: 20 }],
  ['a client without the capability', null],
])('error: %s pays nothing', async (_, answer, options) => {
  const { isError, paid, signatures, paidCalls, asked } = await call(answer, options)
  expect([isError, paid, signatures, paidCalls]).toEqual([true, false, 0, 0])
  expect(asked).toHaveLength(answer === null ? 0 : 1)
})

const inMemory = async (): Promise<Ends> => InMemoryTransport.createLinkedPair()

test.each([
  ['HTTP', openHttp],
  ['memory', inMemory],
])('error: a client over %s approves nothing, since it may be anyone', async (_, open) => {
  const yes: Answer = () => ({ action: 'accept', content: { pay: true } })
  const { isError, paid, signatures, asked } = await call(yes, {}, open)
  expect([isError, paid, signatures, asked]).toEqual([true, false, 0, []])
})

test('error: asks no client outside of a tool call', async () => {
  expect(await askMcpClient({ intent: {}, reason: '' } as never)).toBe(false)
})
