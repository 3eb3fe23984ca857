import { describe, expect, test } from 'vitest'
import { CLIENT_NAMES, createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { HONEST } from '../testing/seller.ts'
import { USDC } from '../testing/service.ts'
import { createGuardedFetch } from './createGuardedFetch.ts'

const OFFER = {
  scheme: 'exact',
  asset: USDC,
  payTo: HONEST,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
}
const DOCUMENT = {
  x402Version: 2,
  resource: { url: '/weather', description: 'Temperature in °C' },
  accepts: [{ ...OFFER, network: 'eip155:8453', amount: '10000' }],
}

describe.each(CLIENT_NAMES)('reading under %s', (name) => {
  const h = useHarness(name)

  test('behavior: text in Latin-1, as two releases of the stock library encode it, is read', async () => {
    if (name === 'x402-fetch') return
    h.know()
    h.seller.character.before = ({ headers }, response) => {
      if (headers['payment-signature'] !== undefined) return false
      const header = Buffer.from(JSON.stringify(DOCUMENT), 'latin1').toString('base64')
      response.writeHead(402, { 'payment-required': header }).end()
      return true
    }
    expect((await h.setUp().pay(`${h.seller.url}/weather`)).status).toBe(200)
  })

  test('behavior: a reason phrase that no Response takes is no fault, before and after the payment', async () => {
    h.know()
    h.seller.character.before = (_request, response) => {
      // Node refuses to write it, so its own answer is taken from the socket.
      response.shouldKeepAlive = false
      const { socket } = response
      const write = socket?.write.bind(socket)
      if (socket)
        socket.write = ((chunk: string | Buffer, ...rest: []) => {
          const text = chunk.toString().replace(/^(HTTP\/1.1 \d{3}) [^\r]*/, '$1 需要付款')
          return write?.(text, ...rest)
        }) as typeof socket.write
      return false
    }
    const { pay, guard } = h.setUp()
    const answers = [0, 1].map(() => pay(`${h.seller.url}/weather`))
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(200)
      expect(await answer.json()).toEqual({ weather: 'sunny' })
    }
    expect([h.seller.payments.length, guard.ledger.pending()]).toEqual([1, []])
  })
})

describe('a number as the version of the domain', () => {
  const h = useHarness('@x402/fetch')

  test('behavior: is read, and the guarded account signs the domain of the asset', async () => {
    h.seller.character.terms = [{ extra: { name: 'USD Coin', version: 2 } }]
    const { account, counter } = createCountingAccount()
    expect((await createGuardedFetch({ account })(`${h.seller.url}/weather`)).status).toBe(200)
    expect([counter.signatures, h.seller.payments.length]).toEqual([1, 1])
  })
})

describe('a network in the form of the other version', () => {
  const h = useHarness('@x402/fetch')

  test.each([
    [
      'a CAIP-2 id in version 1',
      { x402Version: 1, accepts: [{ ...OFFER, network: 'eip155:8453', maxAmountRequired: '10000' }] },
    ],
    ['a name in version 2', { ...DOCUMENT, accepts: [{ ...OFFER, network: 'base', amount: '10000' }] }],
  ])('error: %s is named as the fault of the seller', async (_, document) => {
    h.know()
    h.seller.character.before = (_request, response) => {
      const isV2 = document.x402Version === 2
      const header = Buffer.from(JSON.stringify(document)).toString('base64')
      response
        .writeHead(402, isV2 ? { 'payment-required': header } : {})
        .end(isV2 ? '' : JSON.stringify(document))
      return true
    }
    const error = h.setUp().pay(`${h.seller.url}/weather`)
    await expect(error).rejects.toMatchObject({
      code: 'CHALLENGE_MALFORMED',
      details: expect.stringContaining('names its network as version'),
      remedy: expect.stringContaining('tell this one that its challenge is wrong'),
    })
  })
})
