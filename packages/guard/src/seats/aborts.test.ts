import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { CLIENT_NAMES } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { deliver } from '../testing/seller.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

describe.each(CLIENT_NAMES)('an abort under %s', (name) => {
  const h = useHarness(name)

  test('behavior: reaches a payment under way, also after a garbage collection', async () => {
    h.know()
    const patience = new AbortController()
    h.seller.character.onPaid = () => {
      setTimeout(() => {
        collectGarbage()
        // Finalizers run in a later turn of the event loop.
        setTimeout(() => {
          collectGarbage()
          setTimeout(() => patience.abort(), 5)
        }, 5)
      }, 20)
    }
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
