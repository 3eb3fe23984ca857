import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createFacilitator } from './facilitator.ts'
import { withBreaker } from './withBreaker.ts'

const CALL = { payload: { x402Version: 2 as const }, requirements: {} }

async function start(answer: () => number) {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume()
    asked += 1
    response.writeHead(answer(), { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(
        request.url === '/verify' ? { isValid: false, invalidReason: 'no' } : { success: false },
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}`
  return {
    facilitator: withBreaker(createFacilitator({ url }), { failures: 3, restMs: 100 }),
    asked: () => asked,
  }
}

test('default', async () => {
  let status = 500
  const { facilitator, asked } = await start(() => status)
  for (let call = 0; call < 10; call++) expect((await facilitator.verify(CALL)).kind).toBe('unavailable')
  expect(asked()).toBe(3)
  // A settlement is tried all the same.
  await facilitator.settle(CALL)
  expect(asked()).toBe(4)
  await sleep(120)
  expect((await facilitator.verify(CALL)).kind).toBe('unavailable')
  expect((await facilitator.verify(CALL)).kind).toBe('unavailable')
  expect(asked()).toBe(5)
  await sleep(120)
  status = 200
  for (let call = 0; call < 3; call++) expect((await facilitator.verify(CALL)).kind).toBe('invalid')
  expect(asked()).toBe(8)
})

test('behavior: an invalid payment is no failure', async () => {
  const { facilitator, asked } = await start(() => 200)
  for (let call = 0; call < 10; call++) expect((await facilitator.verify(CALL)).kind).toBe('invalid')
  expect(asked()).toBe(10)
})
