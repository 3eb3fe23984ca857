import { encodeBase64Json } from '@touchstone402/shared'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { isGuardError } from '../errors.ts'
import { CLIENT_NAMES, createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { challenge, deliver } from '../testing/seller.ts'
import { createGuard } from './createGuard.ts'
import { createGuardedFetch } from './createGuardedFetch.ts'

afterEach(() => void vi.useRealTimers())

describe.each(CLIENT_NAMES)('equal calls at once under %s', (name) => {
  const h = useHarness(name)
  const settlements = () => new Set(h.seller.payments).size
  const read = async (response: Promise<Response>) => {
    const { status, ...rest } = await response
    return `${status} ${await (await response).text()}${Object.keys(rest).length}`
  }

  test('behavior: ten equal calls get their answers for one payment, whose nonce settles once', async () => {
    h.know()
    const used = new Set<string>()
    h.seller.character.onPaid = (request, response) => {
      const payment = String(request.headers['payment-signature'] ?? request.headers['x-payment'])
      if (used.has(payment)) return challenge('http://x', {}, request, response)
      used.add(payment)
      setTimeout(() => deliver(response), 30)
    }
    const { pay, counter, guard } = h.setUp()
    const init = { headers: { authorization: 'Bearer a' } }
    const calls = Array.from({ length: 10 }, () => read(pay(`${h.seller.url}/weather`, init)))
    expect(await Promise.all(calls)).toEqual(Array(10).fill('200 {"weather":"sunny"}0'))
    expect([counter.signatures, h.seller.payments.length]).toEqual([1, 1])
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
  })

  test('behavior: an answer is never shared with a caller that set other headers', async () => {
    h.know()
    h.seller.character.onPaid = ({ headers }, response) =>
      void deliver(response, String(headers.authorization))
    const { pay, counter } = h.setUp()
    const callers = ['Bearer a', 'Bearer b', 'Bearer a', 'Bearer b']
    const calls = callers.map((authorization) =>
      read(pay(`${h.seller.url}/weather`, { headers: { authorization } })),
    )
    expect(await Promise.all(calls)).toEqual(callers.map((caller) => `200 ${caller}0`))
    expect([counter.signatures, settlements()]).toEqual([2, 2])
  })

  test('behavior: a body that is too large to share is paid for by each call, in sequence', async () => {
    h.know()
    h.seller.character.onPaid = (_, response) => deliver(response, 'x'.repeat(1_200_000))
    const { pay, counter } = h.setUp()
    const calls = Array.from({ length: 3 }, () => pay(`${h.seller.url}/weather`))
    const sizes = await Promise.all(calls.map(async (call) => (await (await call).text()).length))
    expect(sizes).toEqual([1_200_000, 1_200_000, 1_200_000])
    expect([counter.signatures, settlements()]).toEqual([3, 3])
  })

  test('behavior: an answer that the caller stops reading is asked for again with the same payment', async () => {
    h.know()
    h.seller.character.onPaid = (_, response) => void response.write('x'.repeat(200_000))
    const { pay, counter } = h.setUp()
    for (let attempt = 0; attempt < 12; attempt++) {
      const { body } = await pay(`${h.seller.url}/weather`)
      const reader = body?.getReader()
      await reader?.read()
      await reader?.cancel()
    }
    expect([counter.signatures, settlements(), h.seller.payments.length]).toEqual([1, 1, 12])
  })

  test('behavior: a long answer that the caller leaves at its last part is asked for again', async () => {
    h.know()
    h.seller.character.onPaid = (_, response) => deliver(response, 'x'.repeat(300_000))
    const { pay, counter } = h.setUp()
    for (let attempt = 0; attempt < 5; attempt++) {
      const reader = (await pay(`${h.seller.url}/weather`)).body?.getReader()
      for (let size = 0; size < 300_000; ) size += (await reader?.read())?.value?.byteLength ?? 0
      await reader?.cancel()
    }
    expect([counter.signatures, settlements(), h.seller.payments.length]).toEqual([1, 1, 5])
    await (await pay(`${h.seller.url}/weather`)).text()
    await (await pay(`${h.seller.url}/weather`)).text()
    expect([counter.signatures, h.seller.payments.length]).toEqual([2, 7])
  })

  test('behavior: a caller leaves a silent answer at once, and so does an equal call that waits for it', async () => {
    h.know()
    const stop = new AbortController()
    h.seller.character.onPaid = (_, response) => void response.write('x')
    const { pay, counter } = h.setUp()
    const calls = [1, 2].map(() => pay(`${h.seller.url}/weather`, { signal: stop.signal }))
    const first = await Promise.race(calls)
    await first.body?.cancel()
    stop.abort()
    const ends = await Promise.allSettled(calls)
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect([counter.signatures, settlements(), h.seller.payments.length]).toEqual([1, 1, 1])
  })

  test('behavior: an unread answer that the seller does not repeat ends, and the next call is judged again', async () => {
    h.know()
    const used = new Set<string>()
    h.seller.character.onPaid = (request, response) => {
      const payment = h.seller.payments.at(-1) ?? ''
      if (used.has(payment)) return challenge('http://x', {}, request, response)
      used.add(payment)
      if (used.size > 1) return deliver(response)
      response.setHeader(
        'PAYMENT-RESPONSE',
        encodeBase64Json({ success: true, transaction: `0x${'ab'.repeat(32)}` }),
      )
      response.write('x')
    }
    const { pay, counter } = h.setUp()
    await pay(`${h.seller.url}/weather`)
    await expect(pay(`${h.seller.url}/weather`)).rejects.toMatchObject({
      code: 'PAYMENT_SETTLED',
      details: expect.stringContaining('judged again'),
      payment: { retryResends: false },
    })
    expect(await read(pay(`${h.seller.url}/weather`))).toMatch('200')
    expect(counter.signatures).toBe(2)
  })

  test.each([200, 503])('error: the body of a %i that breaks off names the payment', async (status) => {
    h.know()
    h.seller.character.onPaid = (_, response) => {
      response.writeHead(status, { 'content-length': '100' }).write('half')
      setTimeout(() => response.destroy(), 20)
    }
    const { pay } = h.setUp()
    const response = await pay(`${h.seller.url}/weather`)
    await expect(response.text()).rejects.toMatchObject({
      code: 'NO_ANSWER',
      payment: { amountUsd: '0.01', state: 'sent', retryResends: true },
    })
  })

  test('behavior: a library that throws after the approval leaves nothing pending', async () => {
    h.know()
    vi.useFakeTimers({ toFake: ['Date'] })
    const { guard, pay, counter } = h.setUp()
    expect((await guard.fetch()(`${h.seller.url}/weather`)).status).toBe(402)
    const call = read(pay(`${h.seller.url}/weather`))
    await new Promise((resolve) => setTimeout(resolve, 60))
    vi.setSystemTime(Date.now() + 2000)
    expect(await call).toMatch('200')
    expect([counter.signatures, guard.ledger.totals().usdMicros]).toEqual([1, 10_000n])
  })
})

describe('a wallet', () => {
  const h = useHarness('@x402/fetch')
  const wallet = (sign: (signed: () => Promise<`0x${string}`>) => Promise<`0x${string}`>) => {
    const { account } = createCountingAccount()
    return {
      ...account,
      signTypedData: ((message) =>
        sign(() => account.signTypedData(message))) as typeof account.signTypedData,
    }
  }
  const outcomeOf = (call: Promise<Response>) =>
    call.then(
      ({ status }) => status,
      (error: unknown) => (isGuardError(error) ? error.code : String(error)),
    )

  test('behavior: one that rejects once leaves nothing spent, pinned or pending', async () => {
    let asked = 0
    const account = wallet(async (signed) => {
      asked += 1
      if (asked === 1) throw new Error('User rejected the request.')
      return signed()
    })
    const guard = createGuard()
    const pay = createGuardedFetch({ account, guard })
    const url = `${h.seller.url}/weather`
    const error = await pay(url).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'WALLET_REFUSED',
      cause: { message: 'User rejected the request.' },
      details: 'The signer says: User rejected the request.',
      modelMessage: 'The wallet did not sign. Nothing was signed.',
      message: 'The wallet did not sign. The signer says: User rejected the request. Nothing was signed.',
    })
    expect([guard.ledger.totals().usdMicros, await guard.pins()]).toEqual([0n, []])
    expect(await outcomeOf(pay(url))).toBe(200)
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
  })

  test.each(['guarded', 'bare'] as const)(
    'behavior: one that is slower than the authorization is valid leaves nothing spent (%s account)',
    async (kind) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      let isSlow = true
      const account = wallet(async (signed) => {
        const signature = await signed()
        if (isSlow) vi.setSystemTime(Date.now() + 61_000)
        return signature
      })
      const guard = createGuard()
      const signer = kind === 'guarded' ? guard.account(account) : account
      const pay = STOCK_CLIENTS['@x402/fetch'](guard.fetch(), signer as typeof account)
      const url = `${h.seller.url}/weather`
      expect(await outcomeOf(pay(url))).toMatch(/SIGNED_TOO_LATE|took longer/)
      // What the guard itself did not hand out costs nothing. A signature that others made may have been used.
      expect(guard.ledger.totals().usdMicros).toBe(kind === 'guarded' ? 0n : 10_000n)
      isSlow = false
      if (kind === 'bare') {
        expect(await outcomeOf(pay(url))).toBe('PAYMENT_UNRESOLVED')
        vi.setSystemTime(Date.now() + 601_000)
      }
      expect(await outcomeOf(pay(url))).toBe(200)
      expect(guard.ledger.totals().usdMicros).toBe(10_000n)
    },
  )

  test('behavior: a caller that gave up before it signs gets no signature', async () => {
    const patience = new AbortController()
    let signed = 0
    const account = wallet((sign) => {
      signed += 1
      return sign()
    })
    const guard = createGuard({ onDecision: ({ type }) => void (type === 'allowed' && patience.abort()) })
    const pay = createGuardedFetch({ account, guard })
    await expect(pay(`${h.seller.url}/weather`, { signal: patience.signal })).rejects.toThrow('aborted')
    expect([signed, guard.ledger.totals().usdMicros]).toEqual([0, 0n])
  })

  test.each(['a slow verdict', 'a question'] as const)(
    'behavior: an abort during %s rejects at once, and nothing is signed or reserved',
    async (during) => {
      h.know({ verdict: 'caution' })
      const { account, counter } = createCountingAccount()
      let release = () => {}
      const hold = new Promise<void>((resolve) => {
        release = resolve
      })
      if (during === 'a slow verdict') h.service.fault = () => true
      const ask = () => hold.then(() => true)
      const guard = createGuard({ service: { url: h.service.url, timeoutMs: 2000 }, ask })
      const pay = createGuardedFetch({ account, guard })
      const call = pay(`${h.seller.url}/weather`, { signal: AbortSignal.timeout(50) })
      await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
      release()
      await new Promise((resolve) => setTimeout(resolve, 30))
      expect([counter.signatures, guard.ledger.totals().usdMicros]).toEqual([0, 0n])
    },
  )

  test('error: a stored payment is not sent again for a call that allows less', async () => {
    const { account } = createCountingAccount()
    h.seller.character = { terms: [{ amount: '50000' }], onPaid: (request) => void request.socket.destroy() }
    const pay = createGuardedFetch({ account })
    const url = `${h.seller.url}/weather`
    expect(await outcomeOf(pay(url))).toBe('NO_ANSWER')
    await expect(pay(url, { maxUsd: '0.01' })).rejects.toMatchObject({
      code: 'OVER_CALL_LIMIT',
      payment: { amountUsd: '0.05', state: 'sent' },
    })
    expect(h.seller.payments).toHaveLength(1)
  })

  test('behavior: two 404s for guessed parameters bar no endpoint', async () => {
    h.know()
    h.seller.character.onPaid = (_, response) => void response.writeHead(404).end('no such city')
    const { pay, guard } = h.setUp()
    for (const city of ['a', 'b', 'c'])
      expect((await pay(`${h.seller.url}/weather?${city}`)).status).toBe(404)
    expect(await guard.strikes()).toEqual([])
  })

  test('error: one 503 bars an endpoint for minutes, and the refusal says until when', async () => {
    h.know()
    h.seller.character.onPaid = (_, response) => void response.writeHead(503).end()
    const { pay } = h.setUp()
    await pay(`${h.seller.url}/weather?a`)
    const error = await pay(`${h.seller.url}/weather?b`).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'NO_DELIVERY_STRIKE', details: expect.stringContaining('until') })
    const until = Date.parse((error as { resetsAt: string }).resetsAt) - Date.now()
    expect(until).toBeGreaterThan(200_000)
    expect(until).toBeLessThan(301_000)
  })
})

describe('a guard above the payment library', () => {
  const h = useHarness('@x402/fetch')
  const RECEIPT = { success: true, transaction: `0x${'cd'.repeat(32)}`, network: 'eip155:8453' }
  const { account } = createCountingAccount()
  const pay = (guard: ReturnType<typeof createGuard>) =>
    guard.fetch(STOCK_CLIENTS['@x402/fetch'](fetch, account))
  const answer = (payer: string) => {
    h.seller.character.onPaid = (_, response) => {
      response.setHeader('PAYMENT-RESPONSE', encodeBase64Json({ ...RECEIPT, payer }))
      response.end('sunny')
    }
  }

  test('error: the first paid answer is returned with a warning, and the next call is refused before it is sent', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    answer(account.address)
    const fetchAbove = pay(createGuard())
    expect(await (await fetchAbove(`${h.seller.url}/weather`)).text()).toBe('sunny')
    expect(warn.mock.calls.join()).toContain('wrapFetchWithPayment(guard.fetch(fetch), client)')
    await expect(fetchAbove(`${h.seller.url}/other`)).rejects.toMatchObject({ code: 'GUARD_ABOVE_LIBRARY' })
    expect(h.seller.payments).toHaveLength(1)
    warn.mockRestore()
  })

  test('behavior: allowUnseen goes on, and a receipt for another payer changes nothing', async () => {
    answer(account.address)
    const allowing = pay(createGuard({ allowUnseen: true }))
    for (const path of ['/weather', '/other']) expect((await allowing(h.seller.url + path)).status).toBe(200)
    answer('0x90F79bf6EB2c4f870365E785982E1f101E93b906')
    const knowing = pay(createGuard({ account }))
    for (const path of ['/weather', '/other']) expect((await knowing(h.seller.url + path)).status).toBe(200)
  })
})
