import { x402Client as AxiosClient, wrapAxiosWithPayment } from '@x402/axios'
import { ExactEvmScheme, registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import axios from 'axios'
import { describe, expect, test, vi } from 'vitest'
import { isGuardError } from '../errors.ts'
import { createMemoryLedger } from '../ledger/journal.ts'
import type { Payment } from '../ledger/ledger.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { messageOf, nonceOf, typedDataOf } from '../testing/remoteSigner.ts'
import { challenge, deliver, THIEF } from '../testing/seller.ts'
import { createGuard } from './createGuard.ts'
import { createGuardedFetch } from './createGuardedFetch.ts'

const h = useHarness('@x402/fetch')
const url = () => `${h.seller.url}/weather`
const nonces = () => new Set(h.seller.payments).size
const codeOf = (call: Promise<Response>) =>
  call
    .then(async (response) => (await response.text()) && response.status)
    .catch((error: unknown) => (isGuardError(error) ? error.code : String(error)))

/** A wallet that changes how it signs. */
function walletThat(sign: (signed: () => Promise<`0x${string}`>) => Promise<`0x${string}`>) {
  const { account } = createCountingAccount()
  type Sign = typeof account.signTypedData
  return { ...account, signTypedData: ((message) => sign(() => account.signTypedData(message))) as Sign }
}

test('error: hooks send no payment whose approval was released while the wallet was slow', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let calls = 0
  let release = () => {}
  const slow = walletThat(async (signed) => {
    calls += 1
    if (calls === 1) await new Promise<void>((resolve) => (release = resolve))
    return signed()
  })
  const guard = createGuard()
  const pay = () => {
    const client = registerExactEvmScheme(new x402Client(), { signer: slow })
    guard.hooks(client, { url: url(), method: 'GET' })
    return wrapFetchWithPayment(fetch, client)(url())
  }
  const first = codeOf(pay())
  await expect.poll(() => calls).toBe(1)
  const clock = setInterval(() => vi.setSystemTime(Date.now() + 2500), 60)
  const second = await codeOf(pay())
  clearInterval(clock)
  release()
  const outcomes = [await first, second]
  vi.useRealTimers()
  expect(outcomes).toEqual([
    expect.stringMatching(/differ from the approved.* was signed, but not sent/),
    200,
  ])
  expect([nonces(), guard.ledger.totals().usdMicros]).toEqual([1, 10_000n])
})

test('error: a seller that stalls and then asks again is not paid twice', async () => {
  const { account, counter } = createCountingAccount()
  const seen = new Set<string>()
  h.seller.character.onPaid = (request, response) => {
    const payment = String(request.headers['payment-signature'])
    if (seen.has(payment)) return challenge(h.seller.url, {}, request, response)
    seen.add(payment)
    response.write('{')
  }
  const pay = createGuardedFetch({ account })
  for (let call = 0; call < 4; call++) await codeOf(pay(url(), { signal: AbortSignal.timeout(100) }))
  expect([counter.signatures, nonces()]).toEqual([1, 1])
})

describe('a seller that does not answer, where the transport ends the wait', () => {
  /** Pays two calls over a transport that waits for `seconds`. */
  const payTwo = async (seconds: number, isHead: boolean) => {
    let ahead = 0
    const late = () => {
      ahead = seconds * 1000
      return new DOMException('No answer.', 'TimeoutError')
    }
    const silent = () =>
      new ReadableStream({ pull: (controller) => controller.error(late()) }, { highWaterMark: 0 })
    const transport: typeof fetch = async (input, init) => {
      if (!new Request(input, init).headers.has('payment-signature')) return fetch(input, init)
      if (isHead) throw late()
      return new Response(silent())
    }
    const { account } = createCountingAccount()
    const guard = createGuard({ policy: { maxStrikes: 9 }, now: () => Date.now() + ahead })
    const pay = createGuardedFetch({ account, guard, fetch: transport })
    for (const query of ['1', '2']) {
      ahead = 0
      expect(await codeOf(pay(`${url()}?${query}`))).toBe('NO_ANSWER')
    }
    return guard.strikes()
  }

  test.each([true, false])(
    'error: is struck the second time once its time is over (no head: %s)',
    async (isHead) => {
      expect(await payTwo(61, isHead)).toMatchObject([{ at: [expect.any(Number)] }])
    },
  )

  test.each([true, false])('behavior: is not struck while it has time left (no head: %s)', async (isHead) => {
    expect(await payTwo(30, isHead)).toEqual([])
  })
})

test('error: two users of axios with equal headers do not share an answer', async () => {
  const { account } = createCountingAccount()
  h.seller.character.onPaid = ({ headers }, response) =>
    void setTimeout(() => deliver(response, String(headers.authorization)), 50)
  const api = createGuard().axios(axios.create({ proxy: false }))
  const scheme = new ExactEvmScheme(account)
  wrapAxiosWithPayment(api as never, new AxiosClient().register('eip155:*', scheme))
  const get = async (username: string) =>
    (await api.get(url(), { auth: { username, password: 'x' }, responseType: 'text' })).data
  const [alice, bob] = await Promise.all(['alice', 'bob'].map(get))
  expect([alice, bob]).toEqual(['alice:x', 'bob:x'].map((user) => `Basic ${btoa(user)}`))
})

test('error: callers whose transports add credentials of their own do not share an answer', async () => {
  const { account } = createCountingAccount()
  h.seller.character.onPaid = ({ headers }, response) =>
    void setTimeout(() => deliver(response, String(headers.cookie)), 50)
  const guard = createGuard()
  const read = async (user: string) => {
    const own: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      request.headers.set('cookie', user)
      return fetch(request)
    }
    return (await createGuardedFetch({ account, guard, fetch: own })(url())).text()
  }
  expect(await Promise.all(['alice', 'bob'].map(read))).toEqual(['alice', 'bob'])
})

test('error: a ledger that fails while ended approvals are closed is named, by the account too', async () => {
  const { account, counter } = createCountingAccount()
  const ledger = createMemoryLedger()
  const full = () => Promise.reject(new Error('The disk is full.'))
  const lapsed = () => [{ id: 'p1' } as Payment]
  const guard = createGuard({ ledger: { ...ledger, lapsed, update: full } })
  const pay = createGuardedFetch({ account, guard })
  expect(await codeOf(pay(url()))).toBe('LEDGER_FAILED')
  const signing = guard.account(account).signTypedData(typedDataOf(messageOf(account.address, nonceOf(1))))
  await expect(signing).rejects.toMatchObject({ code: 'LEDGER_FAILED' })
  expect(counter.signatures).toBe(0)
})

test('behavior: an abort is heard while the wallet has not answered', async () => {
  const silent = walletThat(() => new Promise(() => {}))
  const guard = createGuard()
  const pay = createGuardedFetch({ account: silent, guard })
  await expect(pay(url(), { signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout')
  expect(guard.ledger.totals().usdMicros).toBe(0n)
})

test('behavior: retries of one payment are one fault', async () => {
  const { account } = createCountingAccount()
  const guard = createGuard()
  const pay = createGuardedFetch({ account, guard })
  h.seller.character.onPaid = (_, response) => void response.writeHead(503).end()
  for (let call = 0; call < 3; call++) await pay(url())
  expect((await guard.strikes())[0]?.at).toHaveLength(1)
})

test('behavior: guard.clearPin accepts the new receiver', async () => {
  const { account } = createCountingAccount()
  const guard = createGuard()
  const pay = createGuardedFetch({ account, guard })
  expect(await codeOf(pay(url()))).toBe(200)
  h.seller.character.terms = [{ payTo: THIEF }]
  expect(await codeOf(pay(url()))).toBe('RECEIVER_PIN_MISMATCH')
  await guard.clearPin(new URL(url()).host)
  expect(await codeOf(pay(url()))).toBe(200)
})
