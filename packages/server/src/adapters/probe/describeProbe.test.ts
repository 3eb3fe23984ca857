import { expect, test } from 'vitest'
import { cleanUpAfterEach, serve, start, target } from './testing/harness.ts'

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
