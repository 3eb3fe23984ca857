import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { isGuardError } from '../errors.ts'
import { createFileLedger } from '../node/fileLedger.ts'
import { CLIENT_NAMES } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { aBlock, startRpc, UNUSED, USED } from '../testing/rpc.ts'
import { challenge, deliver } from '../testing/seller.ts'

// Client, guard and chain read one clock.
const now = () => Date.now()
/** Lets a payment of {@link SHORT} expire, with what clocks may differ. */
const expire = (laterMs = 0) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12_100 + laterMs })
/** Long enough for a busy machine to send it. */
const SHORT = { maxTimeoutSeconds: 10 }

/** Faults of a first paid call, after which a caller retries. */
const FAULTS: Record<string, (request: IncomingMessage, response: ServerResponse) => unknown> = {
  'a lost connection': (request) => request.socket.destroy(),
  'a server error': (_, response) => response.writeHead(503).end('later'),
  'a server error with a receipt': (_, response) => {
    response.statusCode = 500
    deliver(response, 'oops')
  },
  'a body that breaks off': (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => response.destroy(), 20)
  },
  'a request to slow down': (_, response) => response.writeHead(429).end('wait'),
  'another 402': (request, response) => challenge('http://x', {}, request, response),
  silence: () => {},
}

describe.each(CLIENT_NAMES)('retries under %s', (name) => {
  const h = useHarness(name)
  const folders: string[] = []
  afterEach(async () => {
    vi.useRealTimers()
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
  })

  /** Serves the first payment with a fault and every later one honestly; counts nonces that could settle. */
  function serve(fault: (request: IncomingMessage, response: ServerResponse) => unknown, faults = 1) {
    let paid = 0
    h.seller.character = {
      onPaid(request, response) {
        paid += 1
        if (paid > faults) return deliver(response)
        const current = patience
        fault(request, response)
        // A call that has got an answer is not aborted.
        if (response.headersSent || request.socket.destroyed) return
        setTimeout(() => current.abort(), 60)
      },
    }
  }
  const settlements = () => new Set(h.seller.payments).size
  const url = (query = '') => `${h.seller.url}/weather${query}`
  let patience = new AbortController()
  /** Calls like an agent that gives up soon after a payment meets a fault. */
  const call = (pay: typeof fetch, init: RequestInit = {}, target = url()) => {
    patience = new AbortController()
    return pay(target, { signal: patience.signal, ...init })
      .then(async (response) => `${response.status} ${await response.text()}`)
      .catch((error) => (isGuardError(error) ? error.code : 'failed'))
  }

  test.each(Object.keys(FAULTS))('default: sends the same payment again after %s', async (kind) => {
    h.know()
    serve(FAULTS[kind] ?? (() => {}))
    const { pay, counter, guard } = h.setUp()
    expect(await call(pay as typeof fetch)).not.toBe('200 {"weather":"sunny"}')
    expect(await call(pay as typeof fetch)).toBe('200 {"weather":"sunny"}')
    expect([counter.signatures, settlements(), h.seller.payments.length]).toEqual([1, 1, 2])
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
    expect(h.events.map(({ type }) => type)).toContain('resent')
    // The call has its answer, so the next one is a new call.
    expect(await call(pay as typeof fetch)).toBe('200 {"weather":"sunny"}')
    expect([counter.signatures, settlements()]).toEqual([2, 2])
  })

  test('behavior: makes one payment in eight tries of an agent that gives up early', async () => {
    h.know()
    serve(() => {}, 7)
    const { pay, counter } = h.setUp()
    const results: string[] = []
    for (let attempt = 0; attempt < 8; attempt++) results.push(await call(pay as typeof fetch))
    expect(results.at(-1)).toBe('200 {"weather":"sunny"}')
    expect([counter.signatures, settlements()]).toEqual([1, 1])
  })

  test('behavior: attaches the payment to the first request of a retry, and sends a changed body never', async () => {
    h.know()
    serve((request) => request.socket.destroy())
    const seen: string[] = []
    h.seller.character.before = (request) => {
      const isPaid = request.headers['payment-signature'] ?? request.headers['x-payment']
      request.on('data', (chunk) => seen.push(`${isPaid ? 'paid' : 'bare'} ${chunk}`))
      return false
    }
    const { pay, counter } = h.setUp()
    const post = (body: string) => call(pay as typeof fetch, { method: 'POST', body })
    await post('one')
    await post('one')
    expect(seen).toEqual(['bare one', 'paid one', 'paid one'])
    expect(counter.signatures).toBe(1)
    expect(await post('two')).toMatch('200')
    expect([counter.signatures, settlements()]).toEqual([2, 2])
  })

  test('behavior: pays once for equal calls of which one is asked to pay after the other was answered', async () => {
    h.know()
    let release = () => {}
    let asked = 0
    h.seller.character = {
      before(request, response) {
        if (request.headers['payment-signature'] ?? request.headers['x-payment']) return false
        asked += 1
        if (asked !== 2) return false
        release = () => challenge(url(), {}, request, response)
        return true
      },
    }
    const { pay, counter } = h.setUp()
    const [first, late] = [call(pay as typeof fetch), call(pay as typeof fetch)]
    expect(await Promise.race([first, late])).toBe('200 {"weather":"sunny"}')
    release()
    expect(await Promise.all([first, late])).toEqual(Array(2).fill('200 {"weather":"sunny"}'))
    expect([counter.signatures, settlements()]).toEqual([1, 1])
    // A call that begins after the answer is a new one.
    expect(await call(pay as typeof fetch)).toMatch('200')
    expect([counter.signatures, settlements()]).toEqual([2, 2])
  })

  test('behavior: sends a payment again once for ten retries at the same time, and to all of them its answer', async () => {
    h.know()
    serve((_, response) => response.writeHead(503).end('later'))
    const { pay, counter } = h.setUp()
    const ten = () => Promise.all(Array.from({ length: 10 }, () => call(pay as typeof fetch)))
    expect(await call(pay as typeof fetch)).toBe('503 later')
    expect(await ten()).toEqual(Array(10).fill('200 {"weather":"sunny"}'))
    expect([counter.signatures, settlements(), h.seller.payments.length]).toEqual([1, 1, 2])
    // None of these knows of a payment: nine wait for the first, and only that one sees the fault.
    serve((_, response) => response.writeHead(503).end('later'))
    expect((await ten()).sort()).toEqual([...Array(9).fill('200 {"weather":"sunny"}'), '503 later'])
    expect([counter.signatures, settlements(), h.seller.payments.length]).toEqual([2, 2, 4])
  })

  test('behavior: retries at the same time that set other headers get answers of their own', async () => {
    h.know()
    let paid = 0
    h.seller.character = {
      onPaid({ headers }, response) {
        paid += 1
        if (paid === 1) return void response.writeHead(503).end('later')
        setTimeout(() => deliver(response, String(headers.authorization)), 20)
      },
    }
    const { pay, counter } = h.setUp()
    const get = (authorization: string) => call(pay as typeof fetch, { headers: { authorization } })
    expect(await get('a')).toBe('503 later')
    expect(await Promise.all(['a', 'b', 'a', 'b'].map(get))).toEqual(['200 a', '200 b', '200 a', '200 b'])
    expect([counter.signatures, settlements()]).toEqual([1, 1])
  })

  test('behavior: a retry with other headers does not wait for a caller who leaves the answer', async () => {
    h.know()
    let paid = 0
    h.seller.character = {
      onPaid(request, response) {
        paid += 1
        if (paid === 1) return request.socket.destroy()
        if (paid > 2) return deliver(response)
        response.write('x'.repeat(200_000))
      },
    }
    const { pay, counter } = h.setUp()
    expect(await call(pay as typeof fetch)).toBe('NO_ANSWER')
    const left = (pay as typeof fetch)(url(), { headers: { 'x-request-id': '1' } })
    const second = call(pay as typeof fetch, { headers: { 'x-request-id': '2' } })
    await (await left).body?.cancel()
    expect(await second).toMatch('200')
    expect([counter.signatures, settlements()]).toEqual([1, 1])
  })

  test('error: a refused retry does not wake those who wait for a payment under way', async () => {
    h.know()
    h.seller.character = {
      onPaid(request, response) {
        if (h.seller.payments.length > 1) return challenge('http://x', {}, request, response)
        setTimeout(() => deliver(response), 300)
      },
    }
    const { pay, counter, guard } = h.setUp()
    const calls = [1, 2].map(() => call(pay as typeof fetch))
    await expect.poll(() => h.seller.payments).toHaveLength(1)
    await expect(guard.fetch(fetch, { maxUsd: '0.001' })(url())).rejects.toMatchObject({
      code: 'OVER_CALL_LIMIT',
    })
    expect(await Promise.all(calls)).toEqual(Array(2).fill('200 {"weather":"sunny"}'))
    expect([counter.signatures, h.seller.payments.length]).toEqual([1, 1])
  })

  test('behavior: retries of a seller that stays silent do not wait for each other for long', async () => {
    h.know()
    h.seller.character = {
      onPaid: (request) =>
        void setTimeout(() => request.socket.destroy(), h.seller.payments.length > 1 ? 900 : 0),
    }
    const { pay, counter } = h.setUp()
    await call(pay as typeof fetch)
    const startedAt = Date.now()
    expect(await Promise.all(Array.from({ length: 12 }, () => call(pay as typeof fetch)))).toEqual(
      Array(12).fill('NO_ANSWER'),
    )
    // In sequence it would take 11 s.
    expect(Date.now() - startedAt).toBeLessThan(7000)
    expect([counter.signatures, settlements()]).toEqual([1, 1])
  })

  test('behavior: pays intended duplicates that carry a call key', async () => {
    h.know()
    const { pay, counter } = h.setUp()
    const calls = ['a', 'b', 'c'].map((key) =>
      call(pay as typeof fetch, { headers: { 'Touchstone-Call-Key': key } }),
    )
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['200 {"weather":"sunny"}']))
    expect([counter.signatures, settlements()]).toEqual([3, 3])
  })

  test('behavior: sends the payment of a form again with an equal form, and pays others for themselves', async () => {
    h.know()
    serve((request) => request.socket.destroy())
    const { pay, counter } = h.setUp()
    const send = (city: string) => {
      const body = new FormData()
      body.set('city', new Blob([city.repeat(400_000)]))
      return call(pay as typeof fetch, { method: 'POST', body })
    }
    await send('Oslo')
    expect(await send('Oslo')).toMatch('200')
    expect([counter.signatures, settlements()]).toEqual([1, 1])
    serve((_, response) => deliver(response))
    expect(await send('Rome')).toMatch('200')
    expect([counter.signatures, settlements()]).toEqual([2, 2])
  })

  test('behavior: never sends a payment to another URL', async () => {
    h.know()
    serve((request) => request.socket.destroy())
    const { pay, counter } = h.setUp()
    await call(pay as typeof fetch)
    await call(pay as typeof fetch, {}, url('?city=Oslo'))
    await call(pay as typeof fetch, {}, url('/more'))
    await call(pay as typeof fetch, { method: 'POST' })
    expect(settlements()).toBe(counter.signatures)
    expect(h.seller.payments.length).toBe(counter.signatures)
  })

  test('behavior: survives a restart with the file ledger, in another process too', async () => {
    h.know()
    serve(() => {})
    const folder = await mkdtemp(join(tmpdir(), 'retry-'))
    folders.push(folder)
    const path = join(folder, 'ledger.jsonl')
    const before = await createFileLedger(path)
    const first = h.setUp({ ledger: before })
    await call(first.pay as typeof fetch)
    // Opened while the first is open, as by another process.
    const after = await createFileLedger(path)
    const second = h.setUp({ ledger: after })
    expect(await call(second.pay as typeof fetch)).toBe('200 {"weather":"sunny"}')
    expect([first.counter.signatures, second.counter.signatures, settlements()]).toEqual([1, 0, 1])
    await before.close()
    await after.close()
  })

  test('behavior: a 2xx without a receipt ends the retries, and the amount stays spent', async () => {
    h.know()
    serve((_, response) => response.end('sunny'))
    const { pay, guard, counter } = h.setUp()
    expect(await call(pay as typeof fetch)).toBe('200 sunny')
    expect(guard.ledger.pending()).toMatchObject([{ state: 'unknown', answered: true }])
    expect(await call(pay as typeof fetch)).toMatch('200')
    expect(counter.signatures).toBe(2)
    expect(guard.ledger.totals().usdMicros).toBe(20_000n)
  })

  test('error: a verdict of avoid, a high risk and a denied host stop a re-send', async () => {
    h.know()
    serve((request) => request.socket.destroy(), 9)
    const { pay, guard } = h.setUp({ now: () => clock })
    let clock = Date.now()
    await call(pay as typeof fetch)
    h.know({ verdict: 'avoid', seq: 1e9 })
    clock += 61_000 / 2
    const stale = guard.ledger
    const { pay: again } = h.setUp({ ledger: stale, now: () => clock })
    expect(await call(again as typeof fetch)).toBe('VERDICT_AVOID')
    h.know({ verdict: 'unknown', riskLevel: 'high', terms: [], seq: 2e9 })
    const { pay: risky } = h.setUp({ ledger: stale, now: () => clock })
    expect(await call(risky as typeof fetch)).toBe('VERDICT_AVOID')
    h.know()
    const { pay: denied } = h.setUp({ ledger: stale, policy: { denyHosts: [new URL(url()).host] } })
    expect(await call(denied as typeof fetch)).toBe('HOST_NOT_ALLOWED')
    expect(h.seller.payments).toHaveLength(1)
  })

  test('behavior: after expiry the chain decides', async () => {
    h.know()
    serve(() => {}, 1)
    h.seller.character.terms = [SHORT]
    let used = false
    const HASH = `0x${'cd'.repeat(32)}`
    const rpc = await startRpc((method) => {
      const word = used ? USED : UNUSED
      const logs = [{ transactionHash: HASH }]
      const answers: Record<string, unknown> = { eth_chainId: '0x2105', eth_call: word, eth_getLogs: logs }
      return answers[method] ?? aBlock(now())
    })
    const blind = h.setUp({ now })
    await call(blind.pay as typeof fetch)
    expire()
    const { ledger } = blind.guard
    expect(await call(blind.pay as typeof fetch)).toBe('PAYMENT_UNRESOLVED')
    const seeing = h.setUp({ ledger, now, rpcUrls: { 'eip155:8453': rpc.url } })
    used = true
    const error = await seeing.pay(url()).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'PAYMENT_SETTLED', transaction: HASH, moneyMayHaveLeft: true })
    expect(await call(seeing.pay as typeof fetch)).toBe('PAYMENT_SETTLED')
    await seeing.guard.resolve((error as { paymentId: string }).paymentId, 'delivered')
    expect(blind.counter.signatures + seeing.counter.signatures).toBe(1)

    const other = h.setUp({
      now,
      rpcUrls: { 'eip155:8453': rpc.url },
      policy: { maxStrikes: 5 },
    })
    serve(() => {}, 1)
    h.seller.character.terms = [SHORT]
    used = false
    await call(other.pay as typeof fetch)
    expire(600_000)
    expect(await call(other.pay as typeof fetch)).toMatch('200')
    expect([other.counter.signatures, other.guard.ledger.totals().usdMicros]).toEqual([2, 10_000n])
    await rpc.stop()
  })

  test('error: an expired payment whose answer names no settlement is not sent again', async () => {
    h.know()
    h.seller.character = { onPaid: (_, response) => void response.writeHead(200).write('{') }
    h.seller.character.terms = [SHORT]
    const { pay, counter } = h.setUp({ now })
    await pay(url())
    expire()
    expect(await call(pay as typeof fetch)).toBe('PAYMENT_UNRESOLVED')
    expect([counter.signatures, h.seller.payments.length]).toEqual([1, 1])
  })

  test('behavior: guard.resolve ends the question for the caller', async () => {
    h.know()
    serve(() => {}, 1)
    h.seller.character.terms = [SHORT]
    const { pay, guard, counter } = h.setUp({ now })
    await call(pay as typeof fetch)
    expire()
    const error = await pay(url()).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'PAYMENT_UNRESOLVED', paymentId: expect.any(String) })
    await guard.resolve((error as { paymentId: string }).paymentId, 'lost')
    expect(await call(pay as typeof fetch)).toMatch('200')
    expect(counter.signatures).toBe(2)
    expect(guard.ledger.totals().usdMicros).toBe(20_000n)
  })

  test('behavior: keeps the payment out of events, errors and the answer of pending()', async () => {
    h.know()
    serve((request) => request.socket.destroy(), 9)
    const { pay, guard } = h.setUp()
    const errors = [await pay(url('?token=s3cret')).catch((reason: unknown) => reason)]
    errors.push(await pay(url('?token=s3cret')).catch((reason: unknown) => reason))
    const [payment = ''] = h.seller.payments
    const told = JSON.stringify([h.events, errors, guard.ledger.pending()], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    expect(payment.length).toBeGreaterThan(100)
    expect(told).not.toContain(payment)
    expect(told).not.toContain('s3cret')
  })

  test('behavior: a redirect to a new address of the origin makes no new call of a retry', async () => {
    let count = 0
    h.know()
    h.seller.character = {
      before({ url: path, headers }, response) {
        const isUnpaid = headers['payment-signature'] === undefined && headers['x-payment'] === undefined
        if (path !== '/weather' || !isUnpaid) return false
        count += 1
        response.writeHead(307, { location: `/weather?try=${count}` }).end()
        return true
      },
      onPaid: (request) => request.socket.destroy(),
    }
    const { pay, counter } = h.setUp({ policy: { maxStrikes: 9 } })
    for (let attempt = 0; attempt < 4; attempt++) await call(pay as typeof fetch)
    expect(counter.signatures).toBe(1)
  })

  test('behavior: concurrent equal calls share one payment', async () => {
    h.know()
    h.seller.character = { onPaid: (_, response) => void setTimeout(() => deliver(response), 100) }
    const { pay, counter } = h.setUp()
    await Promise.all(Array.from({ length: 8 }, () => call(pay as typeof fetch, { signal: null })))
    expect([counter.signatures, settlements()]).toEqual([1, 1])
  })
})
