import type { IncomingMessage } from 'node:http'
import { wrapAxiosWithPayment, x402Client } from '@x402/axios'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import axios from 'axios'
import { describe, expect, test } from 'vitest'
import { CLIENT_NAMES, createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { HONEST } from '../testing/seller.ts'
import { termOf } from '../testing/service.ts'

type Harness = ReturnType<typeof useHarness>

/** Redirects `/old` to `/weather` with a status; notes what is paid, and how often `/old` is called. */
function redirect(h: Harness, status: number) {
  const seen = { paid: [] as string[], old: 0 }
  const note = async ({ method, url, headers }: IncomingMessage, body: Promise<string>) =>
    void seen.paid.push([method, url, headers['content-type'], await body].join(' '))
  h.seller.character.before = (request, response) => {
    if (request.url === '/old') {
      seen.old += 1
      response.writeHead(status, { location: '/weather' }).end()
      return true
    }
    const chunks: Buffer[] = []
    const body = new Promise<string>((resolve) => {
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => resolve(Buffer.concat(chunks).toString()))
    })
    if (request.headers['payment-signature'] ?? request.headers['x-payment']) void note(request, body)
    return false
  }
  return seen
}

const measured = (method: string) => ({ terms: [termOf(HONEST, '10000', { method })] })
const POSTED = { method: 'POST', body: 'city=Oslo', headers: { 'content-type': 'text/csv' } }

describe.each(CLIENT_NAMES)('a POST under %s whose 402 came by a redirect', (name) => {
  const h = useHarness(name)

  test.each([301, 302, 303])(
    'behavior: after a %i it is judged and paid as the GET that fetch made of it',
    async (status) => {
      const seen = redirect(h, status)
      h.know(measured('GET'))
      const { pay, counter } = h.setUp()
      expect((await pay(`${h.seller.url}/old`, POSTED)).status).toBe(200)
      expect(seen.paid).toEqual(['GET /weather  '])
      expect(counter.signatures).toBe(1)
      expect(h.events[0]).toMatchObject({ type: 'allowed', method: 'GET' })
    },
  )

  test.each([307, 308])('behavior: after a %i it stays a POST', async (status) => {
    const seen = redirect(h, status)
    h.know(measured('POST'))
    const { pay } = h.setUp()
    expect((await pay(`${h.seller.url}/old`, POSTED)).status).toBe(200)
    expect(seen.paid).toEqual(['POST /weather text/csv city=Oslo'])
    expect(h.events[0]).toMatchObject({ type: 'allowed', method: 'POST' })
  })

  test('behavior: a PUT stays one after a 302, and not after a 303', async () => {
    h.know({ terms: [termOf(HONEST, '10000', { method: 'PUT' }), termOf(HONEST, '10000')] })
    const { pay } = h.setUp()
    for (const [status, paid] of [
      [302, 'PUT /weather text/csv city=Oslo'],
      [303, 'GET /weather  '],
    ] as const) {
      const seen = redirect(h, status)
      expect((await pay(`${h.seller.url}/old`, { ...POSTED, method: 'PUT' })).status).toBe(200)
      expect(seen.paid).toEqual([paid])
    }
  })

  test('behavior: a payment that was made of a POST is not sent again for it', async () => {
    redirect(h, 303)
    h.know(measured('GET'))
    h.seller.character.onPaid = (_, response) => void response.destroy()
    const { pay, counter } = h.setUp()
    await expect(pay(`${h.seller.url}/old`, POSTED)).rejects.toThrow()
    await expect(pay(`${h.seller.url}/old`, POSTED)).rejects.toMatchObject({ code: 'PAYMENT_PENDING' })
    expect([counter.signatures, h.seller.payments.length]).toEqual([1, 1])
  })

  test('behavior: a stream is judged without a second request', async () => {
    const seen = redirect(h, 303)
    h.know(measured('GET'))
    const { guard } = h.setUp()
    const body = new Blob(['city=Oslo']).stream()
    const asked = await guard.fetch()(`${h.seller.url}/old`, {
      method: 'POST',
      body,
      duplex: 'half',
    } as RequestInit)
    expect([asked.status, seen.old]).toEqual([402, 1])
    expect(h.events).toMatchObject([{ type: 'allowed', method: 'GET' }])
  })
})

describe.each(['http', 'fetch'])(
  'a POST of axios whose 402 came by a redirect, with the %s adapter',
  (adapter) => {
    const h = useHarness('@x402/fetch')

    test.each([
      [303, 'GET', 'GET /weather  '],
      [307, 'POST', 'POST /weather text/csv city=Oslo'],
    ])('behavior: after a %i it is judged and paid as a %s', async (status, method, paid) => {
      const seen = redirect(h, status)
      h.know(measured(method))
      const { guard } = h.setUp()
      const api = guard.axios(axios.create({ proxy: false, adapter }))
      const signer = createCountingAccount().account
      wrapAxiosWithPayment(api, new x402Client().register('eip155:*', new ExactEvmScheme(signer)))
      const { headers, body } = POSTED
      expect((await api.post(`${h.seller.url}/old`, body, { headers })).status).toBe(200)
      expect(seen.paid).toEqual([paid])
      // The http adapter knows its last request.
      expect(seen.old).toBe(adapter === 'http' ? 1 : 2)
    })
  },
)
