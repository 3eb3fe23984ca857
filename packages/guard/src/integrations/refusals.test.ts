import { describe, expect, test } from 'vitest'
import { CLIENT_NAMES } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { type Character, deliver, HONEST, startSeller, THIEF } from '../testing/seller.ts'
import { termOf } from '../testing/service.ts'

describe.each(CLIENT_NAMES)('under %s', (name) => {
  const h = useHarness(name)

  test('error: refuses a receiver that changed after the check', async () => {
    h.know()
    expect(await h.refused({ terms: [{ payTo: THIEF }] })).toBe('RECEIVER_NOT_CHECKED')
    expect(h.events).toMatchObject([
      { type: 'refused', payment: { payTo: THIEF }, verdict: { verdict: 'safe' } },
    ])
  })

  test('error: refuses a price above the checked one', async () => {
    h.know()
    expect(await h.refused({ terms: [{ amount: '10001' }] })).toBe('PRICE_ABOVE_CHECKED')
  })

  test('error: refuses an avoid verdict', async () => {
    h.know({ verdict: 'avoid' })
    expect(await h.refusal()).toBe('VERDICT_AVOID')
  })

  test('error: refuses a thin verdict above the limit for unknown endpoints', async () => {
    const terms = [termOf(HONEST, '50000')]
    h.know({ terms, receiverStability: 'new' })
    expect(await h.refused({ terms: [{ amount: '50000' }] })).toBe('VERDICT_THIN')
  })

  test.each([
    ['another network', { terms: [{ network: 'eip155:84532' }] }, 'NETWORK_NOT_ALLOWED'],
    ['an invalid network', { terms: [{ network: 'x!' }] }, 'NETWORK_NOT_ALLOWED'],
    ['another token', { terms: [{ asset: THIEF }] }, 'ASSET_NOT_ALLOWED'],
    ['another scheme', { terms: [{ scheme: 'upto' }] }, 'SCHEME_NOT_ALLOWED'],
    [
      'an allowance',
      { terms: [{ extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'permit2' } }] },
      'SCHEME_NOT_ALLOWED',
    ],
    [
      'an upfront payment',
      { terms: [{ extra: { name: 'USD Coin', version: '2', paymentFlow: 'upfront' } }] },
      'SCHEME_NOT_ALLOWED',
    ],
    [
      'a foreign signing domain',
      { terms: [{ extra: { name: 'Permit2', version: '2' } }] },
      'DOMAIN_MISMATCH',
    ],
    ['an amount of zero', { terms: [{ amount: '0' }] }, 'AMOUNT_INVALID'],
    ['a lifetime of ten years', { terms: [{ maxTimeoutSeconds: 315_360_000 }] }, 'AUTHORIZATION_TOO_LONG'],
    ['a lifetime that is not a number', { terms: [{ maxTimeoutSeconds: '60' }] }, 'CHALLENGE_MALFORMED'],
    ['the zero address as receiver', { terms: [{ payTo: `0x${'0'.repeat(40)}` }] }, 'RECEIVER_NOT_ALLOWED'],
    ['two receivers', { terms: [{}, { payTo: THIEF }] }, 'RECEIVERS_CONFLICT'],
    ['another receiver in v1', { terms: [{}], v1Terms: [{ payTo: THIEF }] }, 'RECEIVERS_CONFLICT'],
    ['a resource of another origin', { resource: 'https://bank.example/pay' }, 'RESOURCE_MISMATCH'],
    ['no offers', { versions: [] }, 'CHALLENGE_MALFORMED'],
  ] satisfies [string, Character, string][])(
    'error: refuses a challenge with %s',
    async (_, character, code) => {
      h.know()
      expect(await h.refused(character)).toBe(code)
      expect(h.service.asked).toEqual([])
    },
  )

  test('error: refuses a redirect to another origin before payment', async () => {
    const other = await startSeller()
    h.seller.character = {
      before: (request, response) =>
        request.url === '/weather' && Boolean(response.writeHead(302, { location: `${other.url}/x` }).end()),
    }
    expect(await h.refusal()).toBe('REDIRECT_REFUSED')
    expect(other.payments).toEqual([])
    await other.stop()
  })

  test('error: refuses a 402 with an endless body', async () => {
    h.seller.character = {
      before(_, response) {
        response.writeHead(402)
        const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
        response.on('close', () => clearInterval(timer))
        return true
      },
    }
    expect(await h.refusal()).toBe('CHALLENGE_MALFORMED')
  })

  test.each(['Payment id="a", method="tempo"', 'L402 token="a", invoice="b"'])(
    'error: says that a 402 asks by another protocol: %s',
    async (authenticate) => {
      h.seller.character = {
        before: (_, response) =>
          Boolean(response.writeHead(402, { 'www-authenticate': authenticate }).end('pay another way')),
      }
      expect(await h.refusal()).toBe('PROTOCOL_NOT_SUPPORTED')
    },
  )

  test('error: refuses hosts outside the policy', async () => {
    h.know()
    expect(await h.refusal({ policy: { denyHosts: ['127.0.0.1'] } })).toBe('HOST_NOT_ALLOWED')
    expect(await h.refusal({ policy: { allowHosts: ['*.example.com'] } })).toBe('HOST_NOT_ALLOWED')
  })

  test('error: refuses above the limits for a payment, a host and a day', async () => {
    h.know()
    expect(await h.refusal({ policy: { maxPerPaymentUsd: '0.009' } })).toBe('OVER_PAYMENT_LIMIT')
    expect(await h.refusal({ policy: { maxPerHostPerDayUsd: '0.009' } })).toBe('OVER_HOST_DAY_LIMIT')
    expect(await h.refusal({ policy: { maxPerDayUsd: '0.009' } })).toBe('OVER_DAY_LIMIT')
    expect(await h.refusal({ policy: { maxTotalUsd: '0.009' } })).toBe('OVER_TOTAL_LIMIT')
  })

  test('error: refuses while the service does not answer', async () => {
    h.know()
    h.service.fault = (_, response) => Boolean(response.writeHead(500).end())
    expect(await h.refusal()).toBe('VERDICT_UNAVAILABLE')
  })

  test('error: refuses another payment after two answers in a row without content', async () => {
    h.know()
    h.seller.character = { onPaid: (_, response) => deliver(response, '') }
    const { pay, counter } = h.setUp()
    expect((await pay(`${h.seller.url}/weather`)).status).toBe(200)
    // The same payment, sent again.
    expect((await pay(`${h.seller.url}/weather`)).status).toBe(200)
    await expect(pay(`${h.seller.url}/weather?2`)).rejects.toMatchObject({
      code: 'NO_DELIVERY_STRIKE',
      resetsAt: expect.any(String),
    })
    expect(counter.signatures).toBe(1)
    expect(new Set(h.seller.payments).size).toBe(1)
  })

  test('error: treats an empty chunked body as no delivery', async () => {
    h.know()
    h.seller.character = {
      onPaid(_, response) {
        response.flushHeaders()
        response.end()
      },
    }
    const { pay } = h.setUp()
    for (let count = 0; count < 2; count++) await (await pay(`${h.seller.url}/weather`)).text()
    await expect(pay(`${h.seller.url}/weather?2`)).rejects.toMatchObject({ code: 'NO_DELIVERY_STRIKE' })
  })

  test('error: does not follow a redirect of the paid call', async () => {
    const other = await startSeller()
    h.know()
    h.seller.character = {
      onPaid: (_, response) => void response.writeHead(307, { location: `${other.url}/weather` }).end(),
    }
    const { pay, guard } = h.setUp()
    await expect(pay(`${h.seller.url}/weather`)).rejects.toMatchObject({ code: 'REDIRECT_AFTER_PAYMENT' })
    expect(other.payments).toEqual([])
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
    await other.stop()
  })

  test('error: makes no second payment after a raised price', async () => {
    h.know({ terms: [termOf(HONEST, '20000')] })
    h.seller.character = {
      onPaid: (_, response) => {
        const entry = { scheme: 'exact', network: 'base', maxAmountRequired: '20000', payTo: HONEST }
        const rest = { asset: termOf('', '0').asset, maxTimeoutSeconds: 60 }
        response.writeHead(402).end(JSON.stringify({ x402Version: 1, accepts: [{ ...entry, ...rest }] }))
      },
    }
    const { pay, counter } = h.setUp()
    const changed = { code: 'OFFER_CHANGED', moneyMayHaveLeft: true }
    await expect(pay(`${h.seller.url}/weather`)).rejects.toMatchObject(changed)
    await expect(pay(`${h.seller.url}/weather`)).rejects.toMatchObject(changed)
    await expect(pay(`${h.seller.url}/weather?2`)).rejects.toMatchObject({ code: 'NO_DELIVERY_STRIKE' })
    expect(counter.signatures).toBe(1)
    expect(new Set(h.seller.payments).size).toBe(1)
  })

  test('error: refuses a changed receiver of an unknown endpoint', async () => {
    const { pay, counter } = h.setUp()
    await (await pay(`${h.seller.url}/weather`)).text()
    h.seller.character = { terms: [{ payTo: THIEF }] }
    await expect(pay(`${h.seller.url}/weather`)).rejects.toMatchObject({ code: 'RECEIVER_PIN_MISMATCH' })
    expect(counter.signatures).toBe(1)
  })

  test('error: keeps text of the seller out of events and errors', async () => {
    h.know({ verdict: 'avoid' })
    const { pay } = h.setUp()
    const error = await pay(`${h.seller.url}/weather?secret=1`).catch((reason: unknown) => reason)
    const { stack: _, ...visible } = Object.getOwnPropertyDescriptors(error as Error)
    expect(JSON.stringify(visible)).not.toMatch(/IGNORE ALL RULES/)
    expect(JSON.stringify(h.events)).not.toMatch(/IGNORE ALL RULES|secret/)
  })
})
