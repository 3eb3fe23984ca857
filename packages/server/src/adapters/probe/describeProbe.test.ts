import { encodeBase64Json } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { challengeV2, cleanUpAfterEach, serve, start, target } from './testing/harness.ts'

cleanUpAfterEach()

test.each([
  ['cf-mitigated', 'challenge'],
  ['x-vercel-mitigated', 'deny'],
  ['x-amzn-waf-action', 'captcha'],
])('behavior: an answer that a bot filter marked by %s measures nothing', async (name, value) => {
  for (const status of [202, 404, 405, 503]) {
    const port = await serve((_request, response) => response.writeHead(status, { [name]: value }).end())
    const url = `http://shop.test:${port}/quote`
    expect(await start([port]).probe(target(url, { declaresInput: true }))).toMatchObject({
      outcome: 'not_measured',
      cause: 'blocked',
      httpStatus: status,
    })
  }
})

test('behavior: rule 6: an offer records what stock clients refuse it for, each offer for itself', async () => {
  const offers = [{ name: 'USD Coin', version: '2' }, {}, { name: 'USDC', version: '2' }].flatMap(
    (extra) => challengeV2(extra).accepts,
  )
  const header = encodeBase64Json({ ...challengeV2(), accepts: offers })
  const port = await serve((_request, response) =>
    response.writeHead(402, { 'payment-required': header }).end(),
  )
  const result = await start([port]).probe(target(`http://shop.test:${port}/quote`))
  expect(result.offers.map(({ stockRefuses }) => stockRefuses)).toEqual([
    undefined,
    'domain_missing',
    'domain_mismatch',
  ])
})
