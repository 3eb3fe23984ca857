import { describe, expect, test } from 'vitest'
import { isGuardError } from '../errors.ts'
import { createMemoryLedger } from '../ledger/journal.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { type Character, HONEST, startSeller, THIEF } from '../testing/seller.ts'
import type { GuardOptions } from './createGuard.ts'
import { createGuardedFetch } from './createGuardedFetch.ts'

const harness = useHarness('@x402/fetch')

/** A wallet that is guarded without a service. */
function setUp(options: Omit<GuardOptions, 'account'> = {}) {
  const { account, counter } = createCountingAccount()
  const pay = createGuardedFetch({ account, ...options })
  const call = (amount = '10000', payTo = HONEST, path = '/weather') => {
    harness.seller.character = { terms: [{ amount, payTo }] }
    return pay(harness.seller.url + path).then(
      async (response) => (await response.text()) && response.status,
      (error: unknown) => (isGuardError(error) ? error.code : error),
    )
  }
  return { pay, call, counter }
}

test('default: pays a new seller within the limits for one, without a look-up', async () => {
  const { call, counter } = setUp()
  expect(await call('100000')).toBe(200)
  expect(counter.signatures).toBe(1)
  expect(harness.service.asked).toEqual([])
})

test('error: a new seller gets no more than newSeller allows, for one call and in a day', async () => {
  const { call, pay } = setUp({ policy: { newSeller: { perDayUsd: '0.15' } } })
  expect(await call('100001')).toBe('OVER_NEW_SELLER_LIMIT')
  await expect(pay(`${harness.seller.url}/weather`)).rejects.toMatchObject({
    limit: '0.1',
    setting: 'newSeller.perCallUsd',
  })
  expect(await call('90000')).toBe(200)
  expect(await call('90000', HONEST, '/other')).toBe('OVER_NEW_SELLER_DAY_LIMIT')
})

test('error: all new sellers together get no more than newSeller.allPerDayUsd', async () => {
  const ledger = createMemoryLedger()
  const policy = { newSeller: { allPerDayUsd: '0.15' } }
  const other = await startSeller({ terms: [{ amount: '90000' }] })
  const { call } = setUp({ ledger, policy })
  expect(await call('90000')).toBe(200)
  const { account } = createCountingAccount()
  const elsewhere = createGuardedFetch({ account, ledger, policy })(
    other.url.replace('127.0.0.1', 'localhost'),
  )
  await expect(elsewhere).rejects.toMatchObject({ code: 'OVER_NEW_SELLERS_DAY_LIMIT' })
  await other.stop()
})

test('behavior: a host that has delivered three calls is held to the ordinary limits', async () => {
  const { call } = setUp()
  for (let count = 0; count < 3; count++) expect(await call('100000')).toBe(200)
  expect(await call('250000')).toBe(200)
  expect(await call('300001')).toBe('PRICE_NOT_USUAL')
})

test('behavior: hosts of allowHosts are not new', async () => {
  const { call } = setUp({ policy: { allowHosts: ['127.0.0.1'] } })
  expect(await call('900000')).toBe(200)
})

test('behavior: a changed receiver needs approval, and the refusal names both', async () => {
  const { call, pay, counter } = setUp()
  expect(await call()).toBe(200)
  expect(await call('10000', THIEF)).toBe('RECEIVER_PIN_MISMATCH')
  await expect(pay(`${harness.seller.url}/weather`)).rejects.toThrow(new RegExp(`${HONEST}.*${THIEF}`))
  expect(counter.signatures).toBe(1)
  const asking = setUp({ ask: () => true })
  expect(await asking.call()).toBe(200)
  expect(await asking.call('10000', THIEF)).toBe(200)
})

test('behavior: a price above three times the usual one needs approval, and the refusal names both', async () => {
  const { call, pay, counter } = setUp()
  expect(await call()).toBe(200)
  expect(await call('30000')).toBe(200)
  expect(await call('90001')).toBe('PRICE_NOT_USUAL')
  await expect(pay(`${harness.seller.url}/weather`)).rejects.toThrow('$0.03')
  expect(counter.signatures).toBe(2)
})

describe('the first call to another endpoint of a host', () => {
  test('default: may cost as much as a call of a new seller, and three times the dearest that was delivered', async () => {
    const { call } = setUp({ policy: { allowHosts: ['127.0.0.1'] } })
    expect(await call()).toBe(200)
    expect(await call('100001', HONEST, '/first')).toBe('PRICE_NOT_USUAL')
    expect(await call('100000', HONEST, '/first')).toBe(200)
    expect(await call('300001', HONEST, '/second')).toBe('PRICE_NOT_USUAL')
    expect(await call('300000', HONEST, '/second')).toBe(200)
  })

  test('error: a seller that redirects each call to a new path cannot raise its price, change its receiver or pass a strike', async () => {
    const { pay } = setUp({ policy: { allowHosts: ['127.0.0.1'] } })
    let visits = 0
    const ask = (amount: string, change: Character = {}) => {
      harness.seller.character = {
        terms: [{ amount }],
        ...change,
        before(request, response) {
          if (request.url !== '/weather') return false
          response.writeHead(302, { location: `/fresh/${++visits}` }).end()
          return true
        },
      }
      return pay(`${harness.seller.url}/weather`).then(
        ({ status }) => status,
        (error: unknown) => (isGuardError(error) ? error.code : error),
      )
    }
    expect([await ask('10000'), await ask('30000'), await ask('30000')]).toEqual([200, 200, 200])
    expect(await ask('90001')).toBe('PRICE_NOT_USUAL')
    expect(await ask('', { terms: [{ amount: '10000', payTo: THIEF }] })).toBe('RECEIVER_PIN_MISMATCH')
    const onPaid: Character['onPaid'] = (_, response) => void response.writeHead(500).end()
    expect([await ask('10000', { onPaid }), await ask('10000', { onPaid })]).toEqual([500, 500])
    const { host } = new URL(harness.seller.url)
    expect(await pay(`http://${host}/weather?other`).catch(({ code }) => code)).toBe('NO_DELIVERY_STRIKE')
  })

  test('behavior: is refused with where and when the lower price was paid, and with what would allow it', async () => {
    const { call, pay } = setUp({ policy: { allowHosts: ['127.0.0.1'] } })
    await call()
    harness.seller.character = { terms: [{ amount: '500000' }] }
    const { host } = new URL(harness.seller.url)
    const today = new Date().toISOString().slice(0, 10)
    await expect(pay(`${harness.seller.url}/dear`)).rejects.toMatchObject({
      code: 'PRICE_NOT_USUAL',
      details: `It was $0.01 on ${today} at other endpoints of ${host}; $0.50 is asked for, and at most $0.10 is paid without approval. To allow it: "hosts": {"${host}": {"priceFactor": 50}}`,
      allowedBy: `"hosts": {"${host}": {"priceFactor": 50}}`,
    })
  })
})

describe('an amount above askAboveUsd', () => {
  const policy = { askAboveUsd: '0.05', maxPerPaymentUsd: '2.00', maxPerHostPerDayUsd: '2.00' }

  test('default: is paid if a person says yes, also to a new seller, and counts as approved', async () => {
    const asked: unknown[] = []
    const ask: GuardOptions['ask'] = ({ code, details }) => Boolean(asked.push({ code, details }))
    const { call, counter } = setUp({ policy, ask })
    expect([await call('50000'), await call('1200000', HONEST, '/report')]).toEqual([200, 200])
    expect(asked).toMatchObject([
      { code: 'PRICE_NOT_USUAL', details: expect.stringContaining('$1.20 is asked for') },
    ])
    expect(await call('60000', HONEST, '/report')).toBe(200)
    expect(asked[1]).toEqual({
      code: 'OVER_ASK_LIMIT',
      details: 'It is $0.06; at most $0.05 is paid without approval.',
    })
    expect(counter.signatures).toBe(3)
  })

  test('error: is refused without a person, and beyond the limit of one payment unasked', async () => {
    let asked = 0
    const { call } = setUp({ policy, ask: () => Boolean(asked++ < 0) })
    expect(await setUp({ policy }).call('60000')).toBe('OVER_ASK_LIMIT')
    expect(await call('60000')).toBe('OVER_ASK_LIMIT')
    expect(await call('2000001')).toBe('OVER_PAYMENT_LIMIT')
    expect(asked).toBe(1)
  })
})

test('behavior: a host whose receiver rotates stays new', async () => {
  const { call } = setUp({ policy: { pinReceivers: false } })
  for (let count = 1; count <= 4; count++)
    expect(await call('100000', `0x${count}${'1'.repeat(39)}`)).toBe(200)
  expect(await call('150000', `0x9${'1'.repeat(39)}`)).toBe('OVER_NEW_SELLER_LIMIT')
})

test('error: a challenge for a resource of another host, which no service vouches for, is refused', async () => {
  const { pay, counter } = setUp()
  harness.seller.character = { resource: 'https://other.example/weather' }
  await expect(pay(`${harness.seller.url}/weather`)).rejects.toMatchObject({ code: 'RESOURCE_MISMATCH' })
  expect(counter.signatures).toBe(0)
})
