import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCountingAccount } from '../testing/clients.ts'
import { listen, type TestServer } from '../testing/listen.ts'
import { HONEST, THIEF } from '../testing/seller.ts'
import { USDC } from '../testing/service.ts'
import { createGuard, type GuardOptions } from './createGuard.ts'
import type { HookedCall } from './hookHandlers.ts'

type Fields = Record<string, unknown>
type Payment = { accepted: Fields; payload: { authorization: Fields } }

const EXTENSION = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'org.x402/payment': {} } } }

/**
 * Ways in which MCP carries x402. The registry has no x402 client or server for MCP, so both are peers made from the
 * specification's examples, over the stock MCP client and server.
 * Source: specs/transports-v2/mcp.md; for the draft, specs/transports-v3/mcp.md of a fork.
 */
const BINDINGS = {
  'tool-result': {
    asks: {},
    demand: (required: Fields) => ({
      isError: true,
      structuredContent: required,
      content: [{ type: 'text', text: JSON.stringify(required) }],
    }),
    read: (result: Fields) => (result.isError === true ? result.structuredContent : undefined),
    carry: (payload: unknown): Fields => ({ 'x402/payment': payload }),
    find: (meta: Fields) => meta['x402/payment'],
    receipt: (settled: unknown): Fields => ({ 'x402/payment-response': settled }),
    settlement: (meta: Fields) => meta['x402/payment-response'],
  },
  'org.x402/payment': {
    asks: EXTENSION,
    demand: (required: Fields) => ({ resultType: 'payment_required', paymentRequired: required }),
    read: (result: Fields) => (result.resultType === 'payment_required' ? result.paymentRequired : undefined),
    carry: (payload: unknown): Fields => ({ 'x402/payment': payload }),
    find: (meta: Fields) => meta['x402/payment'],
    receipt: (settled: unknown): Fields => ({ 'x402/payment-response': settled }),
    settlement: (meta: Fields) => meta['x402/payment-response'],
  },
  'org.x402/payment of the draft': {
    asks: EXTENSION,
    demand: (required: Fields) => ({ resultType: 'payment_required', paymentRequired: required }),
    read: (result: Fields) => (result.resultType === 'payment_required' ? result.paymentRequired : undefined),
    carry: (paymentPayload: unknown): Fields => ({ 'org.x402/payment': { paymentPayload } }),
    find: (meta: Fields) => (meta['org.x402/payment'] as Fields | undefined)?.paymentPayload,
    receipt: (settlementResponse: unknown): Fields => ({ 'org.x402/payment': { settlementResponse } }),
    settlement: (meta: Fields) => (meta['org.x402/payment'] as Fields | undefined)?.settlementResponse,
  },
} as const

describe.each(Object.entries(BINDINGS))('MCP by %s', (_, binding) => {
  let http: TestServer
  let payments: Payment[]
  let offer: Fields
  let settles: boolean
  beforeEach(async () => {
    ;[payments, settles] = [[], true]
    offer = {
      scheme: 'exact',
      network: 'eip155:8453',
      asset: USDC,
      payTo: HONEST,
      amount: '10000',
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    }
    http = await listen(async (request, response) => {
      const server = new Server({ name: 'seller', version: '1.0.0' }, { capabilities: { tools: {} } })
      server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
        const payment = binding.find(params._meta ?? {}) as Payment | undefined
        const resource = { url: `mcp://tool/${params.name}`, description: '', mimeType: '' }
        const required = { x402Version: 2, error: 'Pay', resource, accepts: [offer] }
        if (payment === undefined) return binding.demand(required) as never
        payments.push(payment)
        if (!settles) return binding.demand({ ...required, error: 'Settlement failed' }) as never
        const { from: payer } = payment.payload.authorization
        const settled = { success: true, transaction: `0x${'ab'.repeat(32)}`, network: offer.network, payer }
        return { content: [{ type: 'text', text: 'sunny' }], _meta: binding.receipt(settled) }
      })
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
      await server.connect(transport as Parameters<typeof server.connect>[0])
      await transport.handleRequest(request, response)
    })
  })
  afterEach(() => http.stop())

  /** A client that pays for tools, with the guard in its hooks and below its transport. */
  async function setUp(options: GuardOptions = {}) {
    const { account, counter } = createCountingAccount()
    const guard = createGuard(options)
    let current: HookedCall
    const stock = registerExactEvmScheme(new x402Client(), { signer: account }).setSpendControls(false)
    const payer = guard.hooks(stock, () => current)
    const client = new Client({ name: 'agent', version: '1.0.0' })
    const transport = new StreamableHTTPClientTransport(new URL(http.url), {
      fetch: guard.fetch() as typeof fetch,
    })
    await client.connect(transport as Parameters<Client['connect']>[0])
    const send = async (name: string, meta: Fields): Promise<Fields> =>
      client.request(
        { method: 'tools/call', params: { name, arguments: {}, _meta: { ...binding.asks, ...meta } } },
        ResultSchema,
      )
    const callTool = async (name: string, change: (payload: Fields) => unknown = (payload) => payload) => {
      current = { url: http.url, method: 'POST', body: JSON.stringify({ name }) }
      const required = binding.read(await send(name, {})) as never
      const payload = await payer.createPaymentPayload(required)
      const answer = await send(name, binding.carry(change(payload as never)))
      const settleResponse = binding.settlement((answer._meta ?? {}) as Fields)
      await payer.handlePaymentResponse({
        paymentPayload: payload,
        requirements: payload.accepted,
        settleResponse,
      } as never)
      return answer
    }
    return { guard, counter, callTool }
  }

  test('default: signs what was quoted, once for each call', async () => {
    const { guard, counter, callTool } = await setUp()
    expect(await callTool('weather')).toMatchObject({ content: [{ text: 'sunny' }] })
    expect(await callTool('weather')).toMatchObject({ content: [{ text: 'sunny' }] })
    expect([counter.signatures, payments.length]).toEqual([2, 2])
    for (const { accepted, payload } of payments) {
      expect(accepted).toEqual(offer)
      expect(payload.authorization).toMatchObject({ to: HONEST, value: '10000' })
    }
    expect(new Set(payments.map(({ payload }) => payload.authorization.nonce)).size).toBe(2)
    expect([guard.ledger.totals().usdMicros, guard.ledger.pending()]).toEqual([20_000n, []])
  })

  test('behavior: a call without a settlement is paid again by the same payment, and no other tool is', async () => {
    const { guard, counter, callTool } = await setUp({ policy: { maxStrikes: 5 } })
    settles = false
    await callTool('weather')
    settles = true
    expect(await callTool('traffic')).toMatchObject({ content: [{ text: 'sunny' }] })
    expect(await callTool('weather')).toMatchObject({ content: [{ text: 'sunny' }] })
    expect(counter.signatures).toBe(2)
    const [first, other, again] = payments.map(({ payload }) => payload.authorization.nonce)
    expect([again, other === first]).toEqual([first, false])
    expect(guard.ledger.totals().usdMicros).toBe(20_000n)
  })

  test('error: a price above the limit and a changed receiver are not signed', async () => {
    const { counter, callTool } = await setUp()
    offer = { ...offer, amount: '2000000' }
    await expect(callTool('weather')).rejects.toMatchObject({ code: 'OVER_PAYMENT_LIMIT' })
    offer = { ...offer, amount: '10000' }
    await callTool('weather')
    offer = { ...offer, payTo: THIEF }
    await expect(callTool('weather')).rejects.toMatchObject({ name: 'PaymentBlockedError' })
    expect([counter.signatures, payments.length]).toEqual([1, 1])
  })

  test('error: a payment that was changed after it was signed does not leave', async () => {
    const { callTool } = await setUp()
    const raise = ({ payload, ...rest }: Fields) => {
      const { authorization, signature } = payload as Payment['payload'] & { signature: string }
      return { ...rest, payload: { signature, authorization: { ...authorization, value: '20000' } } }
    }
    await expect(callTool('weather', raise)).rejects.toMatchObject({ code: 'CREDENTIAL_NOT_READ' })
    expect(payments).toEqual([])
  })
})
