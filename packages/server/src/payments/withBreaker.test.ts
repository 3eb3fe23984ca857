import { expect, onTestFinished, test, vi } from 'vitest'
import { createFacilitator, FACILITATOR_LIMITS } from './facilitator.ts'
import { CALL, json, serve } from './testing/serveFacilitator.ts'
import { withBreaker } from './withBreaker.ts'

async function start(answer: () => number) {
  let asked = 0
  const url = await serve((request, response) => {
    request.resume()
    asked += 1
    const isVerify = request.url === '/verify'
    const body = isVerify ? { isValid: false, invalidReason: 'no' } : { success: false }
    json(answer(), body)(request, response)
  })
  return {
    facilitator: withBreaker(createFacilitator({ url, headers: {}, ...FACILITATOR_LIMITS })),
    asked: () => asked,
  }
}

test('default: stops verifying after repeated failures, tries again after a rest, always settles', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const rest = () => vi.setSystemTime(Date.now() + 5000)
  let status = 500
  const { facilitator, asked } = await start(() => status)
  for (let call = 0; call < 10; call++) expect((await facilitator.verify(CALL)).kind).toBe('unavailable')
  expect(asked()).toBe(5)
  await facilitator.settle(CALL)
  expect(asked()).toBe(6)
  rest()
  expect((await facilitator.verify(CALL)).kind).toBe('unavailable')
  expect((await facilitator.verify(CALL)).kind).toBe('unavailable')
  expect(asked()).toBe(7)
  rest()
  status = 200
  for (let call = 0; call < 3; call++) expect((await facilitator.verify(CALL)).kind).toBe('invalid')
  expect(asked()).toBe(10)
})

test('behavior: an invalid payment does not count as a failure', async () => {
  const { facilitator, asked } = await start(() => 200)
  for (let call = 0; call < 10; call++) expect((await facilitator.verify(CALL)).kind).toBe('invalid')
  expect(asked()).toBe(10)
})
