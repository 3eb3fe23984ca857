import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { CLIENT_NAMES } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { deliver, HONEST } from '../testing/seller.ts'
import { termOf } from '../testing/service.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Aborts after garbage collections. */
function abortLater(patience: AbortController): void {
  setTimeout(() => {
    collectGarbage()
    // Finalizers run in a later turn of the event loop.
    setTimeout(() => {
      collectGarbage()
      setTimeout(() => patience.abort(), 5)
    }, 5)
  }, 20)
}

describe.each(CLIENT_NAMES)('an abort under %s', (name) => {
  const h = useHarness(name)

  test('behavior: reaches a payment under way, also after a garbage collection', async () => {
    h.know()
    const patience = new AbortController()
    h.seller.character.onPaid = () => abortLater(patience)
    const { pay, guard } = h.setUp()
    const outcome = pay(`${h.seller.url}/weather`, { signal: patience.signal }).catch(
      (error: unknown) => error,
    )
    expect(await outcome).toMatchObject({
      code: 'NO_ANSWER',
      cause: { name: 'AbortError' },
      payment: { state: 'sent', retryResends: true },
    })
    expect(guard.ledger.pending()).toHaveLength(1)
  }, 5000)

  test('behavior: reaches the answer that is being read, also after a garbage collection', async () => {
    h.know()
    const patience = new AbortController()
    h.seller.character.onPaid = (_, response) => {
      response.write('{"weather"')
      abortLater(patience)
      // Collections stop the clock of the seller too.
      setTimeout(() => response.end(':"sunny"}'), 3000).unref()
    }
    const { pay, guard } = h.setUp()
    const read = async () => (await pay(`${h.seller.url}/weather`, { signal: patience.signal })).text()
    await expect(read()).rejects.toMatchObject({ code: 'NO_ANSWER', cause: { name: 'AbortError' } })
    // An abort by the caller is no fault of the endpoint.
    expect(guard.ledger.pending()).toMatchObject([{ delivered: null }])
  }, 5000)

  test('behavior: reaches a POST whose unresolved payment is found at its 402', async () => {
    h.know({ terms: [termOf(HONEST, '10000', { method: 'POST' })] })
    const callers = [new AbortController(), new AbortController()]
    h.seller.character.onPaid = ({ headers }) => {
      const caller = callers[Number(headers['x-caller'])]
      // The other caller then finds the payment unresolved.
      if (h.seller.payments.length === 1) caller?.abort()
      else if (caller !== undefined) abortLater(caller)
    }
    const { pay, guard, counter } = h.setUp()
    const calls = callers.map(({ signal }, index) => {
      const headers = { 'x-caller': String(index) }
      return pay(`${h.seller.url}/weather`, { method: 'POST', body: 'city=Oslo', headers, signal }).catch(
        (error: unknown) => error,
      )
    })
    const aborted = { code: 'NO_ANSWER', cause: { name: 'AbortError' } }
    expect(await Promise.all(calls)).toMatchObject([aborted, aborted])
    expect([counter.signatures, new Set(h.seller.payments).size]).toEqual([1, 1])
    expect(guard.ledger.pending()).toHaveLength(1)
  }, 5000)

  test('behavior: does not end the payment of another call to the same URL', async () => {
    h.know()
    const patience = new AbortController()
    h.seller.character.onPaid = (_, response) => {
      patience.abort()
      setTimeout(() => deliver(response), 20)
    }
    const { pay, guard } = h.setUp()
    const url = `${h.seller.url}/weather`
    const unpaid = new Request(url, { method: 'POST', body: 'a', signal: patience.signal })
    expect((await guard.fetch()(unpaid)).status).toBe(402)
    expect((await pay(url, { method: 'POST', body: 'b' })).status).toBe(200)
  })
})
