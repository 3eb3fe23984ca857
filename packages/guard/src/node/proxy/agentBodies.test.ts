import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Asked, useProxyHarness } from '../../testing/proxyHarness.ts'
import { headersOf, paymentOf, type Signed } from '../../testing/remoteSigner.ts'
import { HONEST } from '../../testing/seller.ts'
import { termOf } from '../../testing/service.ts'
import { startAgent } from '../../testing/tokenAgents.ts'

const harness = useProxyHarness()
afterEach(() => {
  vi.useRealTimers()
})

const MULTIPART = (boundary: string, quantity: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="quantity"\r\n\r\n${quantity}\r\n--${boundary}--\r\n`
const ZEROS = '0'.repeat(16)
const RANDOM = 'f'.repeat(16)

describe('approval: the body that was approved, and no other', () => {
  test.each<[string, string, string | Buffer, string, string | Buffer]>([
    [
      'a member given twice',
      'application/json',
      '{"jsonrpc":"2.0","id":1,"method":"pencil","params":{}}',
      'application/json',
      '{"jsonrpc":"2.0","id":1,"method":"gift card","params":{"card":500},"method":"pencil","params":{}}',
    ],
    [
      'another account number',
      'application/json',
      '{"jsonrpc":"2.0","id":1,"method":"send","params":{"to":9007199254740992}}',
      'application/json',
      '{"jsonrpc":"2.0","id":1,"method":"send","params":{"to":9007199254740993}}',
    ],
    [
      'other bytes that are no UTF-8',
      'application/json',
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"send","params":{"to":"Ren\xe9"}}', 'latin1'),
      'application/json; charset=iso-8859-1',
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"send","params":{"to":"Ren\xf6"}}', 'latin1'),
    ],
    [
      'a boundary in its content',
      `multipart/form-data; boundary=${RANDOM}`,
      MULTIPART(RANDOM, '1'),
      `multipart/form-data; boundary=${ZEROS}`,
      MULTIPART(ZEROS, `1${ZEROS}`),
    ],
  ])('error: pays for no request with %s', async (_, type, approved, otherType, other) => {
    const { seller, service } = harness
    const terms = [termOf(HONEST, '10000', { method: 'POST' })]
    service.decisions.set(`${seller.url}/orders`, {
      verdict: 'safe',
      receiverStability: 'stable',
      probes: 9,
      terms,
    })
    const paid: string[] = []
    seller.character.before = (asked) => {
      asked.on('data', (chunk) => asked.headers['payment-signature'] && paid.push(`${chunk}`))
      return false
    }
    const { ask, signNew } = await startAgent(harness)
    const post = (body: string | Buffer, headers: Record<string, string>) =>
      ask(`/${seller.url}/orders`, { method: 'POST', headers, body } as Asked)
    expect((await post(approved, { 'Content-Type': type })).status).toBe(402)
    const headers = { 'Content-Type': otherType, ...headersOf((await signNew()) as Signed) }
    const { text } = await post(other, headers)
    expect({ paid, text }).toMatchObject({ paid: [], text: expect.stringContaining('OFFER_CHANGED') })
  })
})

describe('approval: payments in the body of a JSON-RPC request', () => {
  const rpc = (method: string, signed?: Signed | null) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: signed ? { _meta: { 'x402/payment': paymentOf(signed) } } : {},
    })
  const setUp = async () => {
    const { seller, service } = harness
    const terms = [termOf(HONEST, '10000', { method: 'POST' })]
    const safe = { verdict: 'safe', receiverStability: 'stable', probes: 9, terms } as const
    for (const path of ['orders', 'cards']) service.decisions.set(`${seller.url}/${path}`, safe)
    seller.character.terms = [{ maxTimeoutSeconds: 600 }]
    const paid: string[] = []
    seller.character.before = (asked) => {
      asked.on('data', (chunk) => `${chunk}`.includes('x402/payment') && paid.push(`${asked.url}`))
      return false
    }
    const { ask, signNew } = await startAgent(harness)
    const headers = { 'Content-Type': 'application/json' }
    const post = (path: string, body: string) =>
      ask(`/${seller.url}/${path}`, { method: 'POST', headers, body })
    return { post, signNew, paid }
  }

  test('error: one goes to no other URL', async () => {
    const { post, signNew, paid } = await setUp()
    await post('orders', rpc('buy'))
    await post('cards', rpc('buy', await signNew()))
    expect(paid).toEqual([])
  })

  test('error: one goes with no other body, also when the approval is over', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { post, signNew, paid } = await setUp()
    await post('orders', rpc('buy a pencil'))
    const payment = await signNew(590)
    vi.setSystemTime(Date.now() + 121_000)
    // Ends the approvals whose time is over.
    await post('cards', rpc('buy'))
    await post('orders', rpc('buy a gift card', payment))
    expect(paid).toEqual([])
  })
})

describe('approval: payments in forms that are hard to read', () => {
  const knowOrders = () => {
    const terms = [termOf(HONEST, '10000', { method: 'POST' })]
    const safe = { verdict: 'safe', receiverStability: 'stable', probes: 9, terms } as const
    for (const path of ['orders', 'cards'])
      harness.service.decisions.set(`${harness.seller.url}/${path}`, safe)
  }
  const toText = (signed: Signed) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'gift card',
      params: { _meta: { 'x402/payment': paymentOf(signed) } },
    })
  const JSON_TYPE = { 'Content-Type': 'application/json' }

  test.each<[string, Record<string, string>, (text: string) => Buffer]>([
    ['compressed', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, (text) => gzipSync(text)],
    ['of another type', { 'Content-Type': 'application/octet-stream' }, (text) => Buffer.from(text)],
    ['JSON with NaN', JSON_TYPE, (text) => Buffer.from(text.replace('"id":1', '"id":NaN'))],
    ['JSON with params twice', JSON_TYPE, (text) => Buffer.from(text.replace(/}$/, ',"params":{}}'))],
    ['in UTF-16', JSON_TYPE, (text) => Buffer.from(text, 'utf16le')],
  ])('error: a body that is %s pays for no other request', async (_, headers, write) => {
    const { seller } = harness
    knowOrders()
    const { ask, signNew } = await startAgent(harness)
    await ask(`/${seller.url}/orders`, { method: 'POST', body: 'a pencil' })
    const body = write(toText((await signNew()) as Signed))
    const reached: unknown[] = []
    seller.character.before = ({ url }) => reached.push(url) > 0
    const { text } = await ask(`/${seller.url}/cards`, { method: 'POST', headers, body })
    expect([JSON.parse(text).code, reached]).toEqual(['CREDENTIAL_NOT_READ', []])
  })

  test('behavior: a compressed body reaches its seller while no signature waits', async () => {
    const { seller } = harness
    knowOrders()
    const { ask } = await startAgent(harness)
    const headers = { ...JSON_TYPE, 'Content-Encoding': 'gzip' }
    const order = { method: 'POST', headers, body: gzipSync('{}') }
    expect((await ask(`/${seller.url}/orders`, order)).status).toBe(402)
  })

  test('error: a header with an underscore, which servers read as a hyphen, pays for no other request', async () => {
    const { seller } = harness
    const { ask, signNew, weather } = await startAgent(harness)
    await ask(weather)
    const { 'PAYMENT-SIGNATURE': payment } = headersOf((await signNew()) as Signed)
    const seen: string[] = []
    seller.character.before = ({ headers }) => {
      seen.push(...Object.keys(headers).filter((name) => name.includes('payment')))
      return false
    }
    const { text } = await ask(`/${seller.url}/cards`, { headers: { Payment_Signature: payment } })
    expect([JSON.parse(text).code, seen]).toEqual(['NO_INTENT', []])
  })

  test('error: another text in place of _meta is another body', async () => {
    const { seller } = harness
    knowOrders()
    const { ask, signNew } = await startAgent(harness)
    const order = (_meta: unknown, more = {}) =>
      ask(`/${seller.url}/orders`, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'buy', params: { _meta } }),
      })
    await order('a pencil')
    const { text } = await order('a gift card', headersOf((await signNew()) as Signed))
    expect(JSON.parse(text).code).toBe('OFFER_CHANGED')
  })
})
