import { describe, expect, test } from 'vitest'
import { CLIENT_NAMES } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { HONEST, THIEF } from '../testing/seller.ts'
import { termOf } from '../testing/service.ts'

describe.each(CLIENT_NAMES)('under %s', (name) => {
  const h = useHarness(name)

  test('default: pays a checked endpoint on the checked terms', async () => {
    h.know()
    const { pay, counter, guard } = h.setUp()
    const response = await pay(`${h.seller.url}/weather?city=Oslo`)
    expect(await response.json()).toEqual({ weather: 'sunny' })
    expect(counter.signatures).toBe(1)
    expect(h.seller.payments).toHaveLength(1)
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
    expect(h.events.map(({ type }) => type)).toEqual(['allowed', 'settled'])
    expect(h.events[1]?.transaction).toBe(`0x${'ab'.repeat(32)}`)
    expect(h.service.asked).toEqual([`${h.seller.url}/weather`])
  })

  test('behavior: adds the traceparent of the call to every event', async () => {
    h.know()
    const { pay } = h.setUp()
    const traceparent = `00-${'4b'.repeat(16)}-${'f0'.repeat(8)}-01`
    await pay(`${h.seller.url}/weather`, { headers: { traceparent } })
    h.seller.character = { terms: [{ payTo: THIEF }] }
    await expect(pay(`${h.seller.url}/weather`, { headers: { traceparent } })).rejects.toThrow()
    await expect(pay(`${h.seller.url}/weather`)).rejects.toThrow()
    const traces = h.events.map((event) => [event.type, event.traceparent])
    expect(traces).toEqual([
      ['allowed', traceparent],
      ['settled', traceparent],
      ['refused', traceparent],
      ['refused', null],
    ])
  })

  test('behavior: passes a call without a 402 and requests no verdict', async () => {
    h.seller.character = { before: (_, response) => Boolean(response.end('free')) }
    const { pay } = h.setUp()
    expect(await (await pay(`${h.seller.url}/free`)).text()).toBe('free')
    expect(h.service.asked).toEqual([])
    expect(h.events).toEqual([])
  })

  test('behavior: pays a POST and sends its body on both legs', async () => {
    const bodies: string[] = []
    h.know()
    h.seller.character = {
      before(request) {
        request.on('data', (chunk) => bodies.push(String(chunk)))
        return false
      },
    }
    const { pay } = h.setUp()
    const response = await pay(`${h.seller.url}/weather`, { method: 'POST', body: 'hello' })
    expect(response.status).toBe(200)
    expect(bodies).toEqual(['hello', 'hello'])
  })

  test('behavior: judges and pays the target of a same-origin redirect', async () => {
    const seen: string[] = []
    h.know({}, '/new')
    h.seller.character = {
      before(request, response) {
        seen.push(
          `${request.url} ${request.headers['payment-signature'] || request.headers['x-payment'] ? 'paid' : ''}`,
        )
        if (request.url !== '/old') return false
        response.writeHead(307, { location: '/new' }).end()
        return true
      },
    }
    const { pay } = h.setUp()
    expect((await pay(`${h.seller.url}/old`)).status).toBe(200)
    expect(seen).toEqual(['/old ', '/new ', '/new paid'])
    expect(h.service.asked).toEqual([`${h.seller.url}/new`])
  })

  test('behavior: shows only the cheapest acceptable entry to the library', async () => {
    h.know({ terms: [termOf(HONEST, '20000')] })
    h.seller.character = {
      terms: [{ amount: '20000' }, { network: 'eip155:84532', amount: '1' }, { amount: '9000' }],
    }
    const { pay, guard } = h.setUp()
    await pay(`${h.seller.url}/weather`)
    expect(guard.ledger.totals().usdMicros).toBe(9000n)
  })

  test('behavior: pays a seller that speaks one protocol version', async () => {
    h.know()
    h.seller.character = { versions: [name === 'x402-fetch' ? 1 : 2] }
    const { pay } = h.setUp()
    expect((await pay(`${h.seller.url}/weather`)).status).toBe(200)
  })

  test('behavior: pays an unknown endpoint up to the limit of the policy', async () => {
    const { pay } = h.setUp()
    expect((await pay(`${h.seller.url}/weather`)).status).toBe(200)
    h.seller.payments.length = 0
    expect(await h.refused({ terms: [{ amount: '10001' }] })).toBe('VERDICT_UNKNOWN')
  })

  test('behavior: pays at caution only if ask approves in time', async () => {
    h.know({ verdict: 'caution' })
    const { pay } = h.setUp({
      ask: ({ intent, code }) => intent.amountUsd === '0.01' && code === 'VERDICT_CAUTION',
    })
    expect((await pay(`${h.seller.url}/weather`)).status).toBe(200)
    h.seller.payments.length = 0
    expect(await h.refusal()).toBe('VERDICT_CAUTION')
    expect(await h.refusal({ ask: () => false })).toBe('VERDICT_CAUTION')
    expect(await h.refusal({ ask: () => new Promise(() => {}), askTimeoutMs: 20 })).toBe('VERDICT_CAUTION')
    expect(await h.refusal({ ask: () => Promise.reject(new Error('closed')) })).toBe('VERDICT_CAUTION')
    expect(await h.refusal({ ask: () => 'yes' as never })).toBe('VERDICT_CAUTION')
  })

  test('behavior: counts spending that happens while ask is pending', async () => {
    h.know({ verdict: 'caution' })
    let release = () => {}
    const answered = new Promise<void>((resolve) => {
      release = resolve
    })
    let questions = 0
    const { pay, counter } = h.setUp({
      policy: { maxPerDayUsd: '0.01' },
      async ask() {
        if (++questions === 2) release()
        await answered
        return true
      },
    })
    const calls = [1, 2].map((number) =>
      pay(`${h.seller.url}/weather?${number}`).then(
        ({ status }) => status,
        ({ code }) => code,
      ),
    )
    expect((await Promise.all(calls)).toSorted()).toEqual([200, 'OVER_DAY_LIMIT'])
    expect(counter.signatures).toBe(1)
  })

  test('behavior: pays ten of 200 concurrent calls with budget for ten', async () => {
    h.know()
    const policy = { maxPerHostPerDayUsd: '0.10', maxPerDayUsd: '0.10' }
    const { pay, counter } = h.setUp({ policy })
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, number) =>
        pay(`${h.seller.url}/weather?${number}`).then(
          ({ status }) => status,
          ({ code }) => code,
        ),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(10)
    expect(outcomes.filter((outcome) => outcome === 'OVER_HOST_DAY_LIMIT')).toHaveLength(190)
    expect(counter.signatures).toBe(10)
    expect(h.seller.payments).toHaveLength(10)
  })
})
