import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createMemoryLedger } from '../../ledger/journal.ts'
import { TOKEN, useProxyHarness } from '../../testing/proxyHarness.ts'
import { createRemoteSigner, headersOf, messageOf, nonceOf, type Signed } from '../../testing/remoteSigner.ts'
import { challenge, HONEST } from '../../testing/seller.ts'
import { termOf } from '../../testing/service.ts'

const harness = useProxyHarness()
afterEach(() => void vi.useRealTimers())

const TASKS = new Map([[TOKEN, { name: 'research', maxUsd: '0.03' }]])
const LIMITS = { velocity: { perHostPerMinute: 1000, identicalPerMinute: 1000 }, maxStrikes: 100 }

/** Signs as an agent with a token does, for the wallet of the proxy. Counts what it was given. */
async function startAgent() {
  const ledger = createMemoryLedger()
  const proxy = await harness.start({
    signs: true,
    tasks: TASKS,
    policy: LIMITS,
    ledger,
    now: () => Date.now(),
  })
  const signer = await createRemoteSigner(proxy)
  const { address, held } = signer
  let nonce = 0
  /** Asks for a signature by a new nonce. */
  const sign = () => {
    nonce += 1
    return signer.sign(messageOf(address, nonceOf(nonce)))
  }
  /** Calls, signs while the call is under way, and drops the call as soon as it has a signature. */
  const signAndDrop = async (path: string): Promise<void> => {
    const { hostname, port } = new URL(proxy.address)
    const headers = { 'Touchstone-Token': TOKEN }
    const call = request({ hostname, port, path, headers, agent: false })
    call.on('error', () => {}).end()
    const answered = (once(call, 'response') as Promise<[IncomingMessage]>).catch(() => null)
    let isOver = false
    answered.then(() => {
      isOver = true
    })
    while (!isOver && !(await sign())) await new Promise((resolve) => setTimeout(resolve, 1))
    call.destroy()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const spent = () => ledger.summary(Date.now()).tasks.get('research') ?? 0n
  return { proxy, ledger, sign, held, signAndDrop, spent }
}

const LATER_MS = 61_000

describe('a signature that an agent holds', () => {
  test('error: stays spent when it is presented late', async () => {
    const { proxy, sign, held, spent } = await startAgent()
    vi.useFakeTimers({ toFake: ['Date'] })
    for (let round = 0; round < 6; round++) {
      const path = `${proxy.weather}?${round}`
      await proxy.ask(path)
      const given = await sign()
      // The seller may have it already.
      vi.setSystemTime(Date.now() + LATER_MS)
      if (given) {
        const { text } = await proxy.ask(path, { headers: headersOf(given) })
        expect(JSON.parse(text).code).toBe('SIGNED_TOO_LATE')
      }
    }
    expect([held.length, spent()]).toEqual([3, 30_000n])
  })

  test('error: stays spent when the call is dropped while 64 signed offers are verified', async () => {
    const { seller, service } = harness
    // Of other terms, so that each of them is verified.
    const toPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const terms = { version: 1, resourceUrl: `${seller.url}/weather`, scheme: 'exact', amount: '1' }
    const signature = `${toPart({ alg: 'ES256K' })}.${toPart(terms)}.${'A'.repeat(42)}E${'A'.repeat(43)}`
    const offers = Array.from({ length: 64 }, () => ({ format: 'jws', signature }))
    seller.character.before = (asked, response) => {
      if (asked.headers['payment-signature']) return false
      const end = (text: string) => {
        // In the body, since a header could not hold as many.
        const extensions = { 'offer-receipt': { info: { offers } } }
        response.writeHead(402).end(JSON.stringify({ ...JSON.parse(text), extensions }))
      }
      challenge(seller.url, { versions: [1] }, asked, { end } as never)
      return true
    }
    service.decisions.set(`${seller.url}/weather`, {
      verdict: 'safe',
      receiverStability: 'stable',
      probes: 9,
      terms: [termOf(HONEST, '10000')],
    })
    const { proxy, signAndDrop, held, spent } = await startAgent()
    for (let round = 0; round < 8; round++) await signAndDrop(`${proxy.weather}?${round}`)
    expect(held.length).toBeGreaterThan(0)
    expect(held.length).toBeLessThanOrEqual(3)
    expect(spent()).toBe(BigInt(held.length) * 10_000n)
  })

  test('error: stays spent when the socket is closed at once', async () => {
    const { proxy, signAndDrop, held, spent } = await startAgent()
    for (let round = 0; round < 8; round++) await signAndDrop(`${proxy.weather}?${round}`)
    // Some calls may have been dropped before anything was signed.
    expect(held.length).toBeLessThanOrEqual(3)
    expect(spent()).toBe(BigInt(held.length) * 10_000n)
  })

  test('error: equal approvals that exchange their signatures lose none', async () => {
    const { proxy, ledger, sign } = await startAgent()
    await proxy.ask(`${proxy.weather}?1`)
    const first = await sign()
    await proxy.ask(`${proxy.weather}?2`)
    const second = await sign()
    // The second signature goes out for the first call.
    const headers = headersOf(second as Signed)
    expect((await proxy.ask(`${proxy.weather}?1`, { headers })).status).toBe(200)
    const byCall = ledger.pending().map(({ authorization, state }) => [authorization?.nonce, state])
    expect(byCall).toEqual([[first?.message.nonce, 'handedOut']])
  })

  test('behavior: the call is judged anew ten minutes after its end, and both count', async () => {
    const { proxy, sign, spent, held } = await startAgent()
    vi.useFakeTimers({ toFake: ['Date'] })
    const codeOf = async () => {
      const { status, text } = await proxy.ask(proxy.weather)
      return status === 402 && !text.includes('"code"') ? 'shown' : JSON.parse(text).code
    }
    expect(await codeOf()).toBe('shown')
    await sign()
    const until = Date.now()
    expect(await codeOf()).toBe('PAYMENT_PENDING')
    vi.setSystemTime(until + 62_000)
    expect(await codeOf()).toBe('PAYMENT_UNRESOLVED')
    vi.setSystemTime(until + 662_000)
    expect(await codeOf()).toBe('shown')
    expect(spent()).toBe(20_000n)
    await sign()
    expect([held.length, spent()]).toEqual([2, 20_000n])
  })

  test('behavior: two unsent payments bar the seller for no one', async () => {
    const { proxy, sign, ledger } = await startAgent()
    vi.useFakeTimers({ toFake: ['Date'] })
    for (let round = 0; round < 2; round++) {
      await proxy.ask(`${proxy.weather}?${round}`)
      await sign()
      vi.setSystemTime(Date.now() + 150_000)
    }
    const { status, text } = await proxy.ask(`${proxy.weather}?again`)
    expect([status, text.includes('NO_DELIVERY_STRIKE'), ledger.strikes()]).toEqual([402, false, []])
  })

  test.each(['a body that is not the approved one', 'no body'])(
    'error: pays for no request with %s',
    async (kind) => {
      const { seller, service } = harness
      const terms = [termOf(HONEST, '10000', { method: 'POST' })]
      const safe = { verdict: 'safe', receiverStability: 'stable', probes: 9, terms } as const
      service.decisions.set(`${seller.url}/orders`, safe)
      const orders: string[] = []
      seller.character.before = (asked) => {
        asked.on('data', (chunk) => asked.headers['payment-signature'] && orders.push(`${chunk}`))
        return false
      }
      const { proxy, sign } = await startAgent()
      const order = (body: string | undefined, headers = {}) =>
        proxy.ask(`/${seller.url}/orders`, { method: 'POST', headers, ...(body && { body }) })
      await order('one pencil')
      const headers = headersOf((await sign()) as Signed)
      const { status, text } = await order(kind === 'no body' ? undefined : 'a gift card', headers)
      expect([status, JSON.parse(text).code, orders]).toEqual([502, 'OFFER_CHANGED', []])
      expect([(await order('one pencil', headers)).status, orders]).toEqual([200, ['one pencil']])
    },
  )
})
