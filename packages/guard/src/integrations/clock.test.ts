import { expect, test } from 'vitest'
import { isGuardError } from '../errors.ts'
import { useHarness } from '../testing/harness.ts'
import { challenge } from '../testing/seller.ts'

const h = useHarness('@x402/fetch')
const MINUTE = 60_000
/** Calls with a clock that is ahead of all others by `ms`. */
const refusalAt = async (ms: number) => {
  const { pay } = h.setUp({ now: () => Date.now() + ms })
  const error = await pay(`${h.seller.url}/weather`).catch((cause: unknown) => cause)
  return isGuardError(error) ? error : undefined
}

test.each([
  [-5, 'The clock of this machine is 5 min behind that of the seller.'],
  [10, 'The clock of this machine is 10 min ahead of that of the seller.'],
])(
  'error: a payment of a clock that is off by %i minutes is not blamed on the wallet',
  async (minutes, sentence) => {
    h.know({ expiresAt: new Date(Date.now() + 100 * MINUTE).toISOString() })
    // The library signs by the real clock of the process.
    h.seller.character.onPaid = (request, response) => {
      response.setHeader('date', new Date(Date.now() - minutes * MINUTE).toUTCString())
      challenge(h.seller.url, {}, request, response)
    }
    expect(await refusalAt(0)).toMatchObject({
      code: 'PAYMENT_NOT_ACCEPTED',
      details: sentence,
      remedy: 'Set the clock of this machine, then call again.',
    })
  },
)

test('behavior: a clock that is off by less than a minute is not named', async () => {
  h.know()
  h.seller.character.onPaid = (request, response) => challenge(h.seller.url, {}, request, response)
  expect(await refusalAt(0)).toMatchObject({ code: 'PAYMENT_NOT_ACCEPTED', details: undefined })
})

test('error: a decision that has expired by a clock an hour ahead names the clock', async () => {
  h.know()
  expect(await refusalAt(61 * MINUTE)).toMatchObject({
    code: 'VERDICT_UNAVAILABLE',
    details: 'The decision has expired. The clock of this machine is 61 min ahead of that of the service.',
    remedy: 'Set the clock of this machine, then call again.',
  })
})
