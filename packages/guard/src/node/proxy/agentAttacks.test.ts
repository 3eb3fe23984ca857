import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createMemoryLedger } from '../../ledger/journal.ts'
import { type Asked, TOKEN, useProxyHarness } from '../../testing/proxyHarness.ts'
import {
  createRemoteSigner,
  headersOf,
  messageOf,
  nonceOf,
  paymentOf,
  type Signed,
} from '../../testing/remoteSigner.ts'
import { challenge, deliver, HONEST } from '../../testing/seller.ts'
import { termOf } from '../../testing/service.ts'
import { createFileLedger } from '../fileLedger.ts'
import type { ProxyOptions } from './startProxy.ts'

const harness = useProxyHarness()
afterEach(() => {
  vi.useRealTimers()
  harness.service.paid = null
})

const OTHER = 'token-of-shopping'
const TASKS = new Map([
  [TOKEN, { name: 'research', maxUsd: '0.50' }],
  [OTHER, { name: 'shopping', maxUsd: '0.50' }],
])

async function startAgent(change: Partial<ProxyOptions> = {}) {
  const proxy = await harness.start({ signs: true, tasks: TASKS, now: () => Date.now(), ...change })
  const { address, sign } = await createRemoteSigner(proxy)
  let nonce = 0
  const signNew = (seconds = 60) => {
    nonce += 1
    return sign(
      messageOf(address, nonceOf(nonce), { validBefore: String(Math.floor(Date.now() / 1000) + seconds) }),
    )
  }
  /** Signs by the same nonce for whoever asks. */
  const signAgain = (token: string) => sign(messageOf(address, nonceOf(7)), token)
  return { ...proxy, signNew, signAgain }
}

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
      ...{ verdict: 'safe', receiverStability: 'stable', probes: 9, terms },
    })
    const paid: string[] = []
    seller.character.before = (asked) => {
      asked.on('data', (chunk) => asked.headers['payment-signature'] && paid.push(`${chunk}`))
      return false
    }
    const { ask, signNew } = await startAgent()
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
      ...{ jsonrpc: '2.0', id: 1, method },
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
    const { ask, signNew } = await startAgent()
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

/** Lets the seller cost so much that a live check of half a cent is bought first. */
function needLiveCheck(): void {
  const { seller, service } = harness
  const terms = [termOf(HONEST, '50000')]
  const found = { verdict: 'safe' as const, receiverStability: 'new' as const, probes: 2, terms }
  service.decisions.clear()
  seller.character.terms = [{ amount: '50000' }]
  service.paid = async (request, response) => {
    if (request.headers['payment-signature'] === undefined)
      return challenge(service.url, { terms: [{ amount: '5000' }] }, request, response)
    deliver(
      response,
      JSON.stringify({ ...(await service.answer(`${seller.url}/weather`, found)), live: { probes: [] } }),
    )
  }
}

describe('told', () => {
  test('error: what an agent was given to sign is not reported as unsent', async () => {
    const { seller, service } = harness
    const terms = [termOf(HONEST, '10000', { method: 'POST' })]
    service.decisions.set(`${seller.url}/orders`, {
      ...{ verdict: 'safe', receiverStability: 'stable', probes: 9, terms },
    })
    const { ask, signNew } = await startAgent()
    const path = `/${seller.url}/orders`
    await ask(path, { method: 'POST', body: 'a pencil' })
    const headers = headersOf((await signNew()) as Signed)
    const { text } = await ask(path, { method: 'POST', body: 'a gift card', headers })
    // The seller may have it by another way, as the answer to an equal call says.
    expect(JSON.parse(text)).toMatchObject({ code: 'OFFER_CHANGED', state: 'sent', paid: true })
  })

  test('error: the 402 for a signer names the live check that was bought', async () => {
    needLiveCheck()
    const ledger = createMemoryLedger()
    const { ask, weather } = await startAgent({ ledger })
    const { status, headers } = await ask(weather)
    expect([status, ledger.totals().usdMicros]).toEqual([402, 55_000n])
    expect(headers).toMatchObject({ 'touchstone-live-check-usd': '0.005' })
  })
})

describe('told, of live checks', () => {
  test('error: one of two equal calls at once names the live check that they cost', async () => {
    needLiveCheck()
    const ledger = createMemoryLedger()
    const { ask, weather } = await harness.start({ ledger, tasks: TASKS })
    const answers = await Promise.all([ask(weather), ask(weather)])
    expect([answers.map(({ status }) => status), ledger.totals().usdMicros]).toEqual([[200, 200], 55_000n])
    const named = answers.flatMap(({ headers }) => headers['touchstone-live-check-usd'] ?? [])
    expect(named).toEqual(['0.005'])
  })
})

describe('apart', () => {
  test('error: a token that signs a nonce of another takes nothing from its payment', async () => {
    const ledger = createMemoryLedger()
    const { ask, weather, signAgain } = await startAgent({ ledger })
    await ask(weather)
    await signAgain(TOKEN)
    const [before] = ledger.pending().map(({ agent, state }) => ({ agent, state }))
    await ask(weather, { headers: { 'Touchstone-Token': OTHER } })
    await signAgain(OTHER)
    expect(before).toEqual({ agent: 'research', state: 'handedOut' })
    expect(ledger.pending().map(({ agent, state }) => ({ agent, state }))).toContainEqual(before)
  })

  test('error: a token does not use up the calls that another may make in a minute', async () => {
    const { ask, weather } = await startAgent({
      policy: { velocity: { perHostPerMinute: 5, identicalPerMinute: 5 } },
    })
    // Nothing is signed.
    for (let nth = 0; nth < 5; nth++) await ask(weather, { headers: { 'Touchstone-Call-Key': `${nth}` } })
    const { headers } = await ask(weather, { headers: { 'Touchstone-Token': OTHER } })
    expect(headers['touchstone-code']).toBeUndefined()
  })
})

describe('room', () => {
  const startWithFile = async (change: Partial<ProxyOptions> = {}) => {
    const folder = await mkdtemp(join(tmpdir(), 'attack-'))
    const path = join(folder, 'ledger.jsonl')
    const ledger = await createFileLedger(path)
    onTestFinished(async () => {
      await ledger.close()
      await rm(folder, { recursive: true })
    })
    const text = async () => {
      await ledger.refresh()
      return readFile(path, 'utf8')
    }
    const lines = Object.assign(async () => (await text()).split('\n').filter(Boolean).length, {
      bytes: async () => (await text()).length,
    })
    return { proxy: await startAgent({ ledger, ...change }), lines, path }
  }

  test('error: no line of the ledger holds a header of the agent', async () => {
    const { proxy, lines } = await startWithFile({ policy: { maxPerPaymentUsd: '0.001' }, signs: false })
    const { text } = await proxy.ask(proxy.weather, { headers: { traceparent: 'x'.repeat(10_000) } })
    expect([text.includes('OVER_PAYMENT_LIMIT'), await lines.bytes()]).toEqual([true, expect.any(Number)])
    expect(await lines.bytes()).toBeLessThan(5000)
  })

  test('error: no line of the ledger holds the call key of the agent', async () => {
    const { proxy, lines } = await startWithFile({ signs: false })
    const headers = { 'Touchstone-Call-Key': 'k'.repeat(20_000) }
    expect((await proxy.ask(proxy.weather, { headers })).status).toBe(200)
    expect(await lines.bytes()).toBeLessThan(10_000)
  })

  test('error: a verdict with a member that the guard does not know does not break the ledger', async () => {
    const { seller, service } = harness
    const terms = [{ ...termOf(HONEST, '10000'), medianAtomic: null }]
    const safe = { verdict: 'safe', receiverStability: 'stable', probes: 9, terms } as const
    service.decisions.set(`${seller.url}/weather`, safe)
    const { proxy, path } = await startWithFile({ signs: false })
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
    await (await createFileLedger(path)).close()
  })

  test('error: answers with a receipt, which cost nothing, fill no ledger', async () => {
    const { seller } = harness
    seller.character.before = (_, response) => {
      deliver(response)
      return true
    }
    const { proxy, lines } = await startWithFile({ signs: false })
    for (let nth = 0; nth < 300; nth++) await proxy.ask(proxy.weather)
    expect(await lines()).toBeLessThan(100)
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
      ...{ jsonrpc: '2.0', id: 1, method: 'gift card' },
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
    const { ask, signNew } = await startAgent()
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
    const { ask } = await startAgent()
    const headers = { ...JSON_TYPE, 'Content-Encoding': 'gzip' }
    const order = { method: 'POST', headers, body: gzipSync('{}') }
    expect((await ask(`/${seller.url}/orders`, order)).status).toBe(402)
  })

  test('error: a header with an underscore, which servers read as a hyphen, pays for no other request', async () => {
    const { seller } = harness
    const { ask, signNew, weather } = await startAgent()
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
    const { ask, signNew } = await startAgent()
    const order = (_meta: unknown, more = {}) =>
      ask(`/${seller.url}/orders`, {
        ...{ method: 'POST', headers: { ...JSON_TYPE, ...more } },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'buy', params: { _meta } }),
      })
    await order('a pencil')
    const { text } = await order('a gift card', headersOf((await signNew()) as Signed))
    expect(JSON.parse(text).code).toBe('OFFER_CHANGED')
  })
})

describe('alive', () => {
  test('behavior: an approval of before a restart is released ten minutes after its end', async () => {
    const ledger = createMemoryLedger()
    vi.useFakeTimers({ toFake: ['Date'] })
    const first = await startAgent({ ledger })
    await first.ask(first.weather)
    await first.stop()
    const second = await startAgent({ ledger })
    vi.setSystemTime(Date.now() + 721_000)
    await second.ask(`${second.weather}?2`)
    expect(ledger.totals().usdMicros).toBe(10_000n)
  })
})
