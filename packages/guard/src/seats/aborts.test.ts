import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { CLIENT_NAMES } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'

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
        // What a collection found is dropped in a turn of its own.
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
    expect(await outcome).toMatchObject({ name: 'AbortError' })
    expect(guard.ledger.pending()).toHaveLength(1)
  }, 5000)
})
