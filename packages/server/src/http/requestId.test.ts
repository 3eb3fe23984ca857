import { expect, test } from 'vitest'
import type { Paywall } from '../payments/paywall.ts'
import type { RequestRecord } from './deps.ts'
import { startHttpApp } from './testing/startHttpApp.ts'

test('default: each request has an id of its own, in its answer, its record and its problem document', async () => {
  const records: RequestRecord[] = []
  const sold: string[] = []
  const paywall: Paywall = {
    async sell({ requestId }) {
      sold.push(requestId)
      return { kind: 'refused', refusal: { status: 409, code: 'payment_in_progress', detail: 'Wait.' } }
    },
  }
  const origin = await startHttpApp({ paywall, onRequest: (record) => records.push(record) })
  const verify = '/verify?endpoint=https%3A%2F%2Fa.example%2F'
  const paths = [verify, verify, '/verify', '/trust', '/healthz', '/nothing', '/openapi.json']
  const ids: string[] = []
  for (const path of paths) {
    const response = await fetch(origin + path, { headers: { 'X-Request-Id': 'forged' } })
    const id = response.headers.get('x-request-id') ?? ''
    expect(id).toMatch(/^[\w-]{12}$/)
    ids.push(id)
    const { requestId } = await response.json()
    expect([path, requestId]).toEqual([path, response.status >= 400 ? id : undefined])
  }
  expect(new Set(ids).size).toBe(paths.length)
  await expect.poll(() => records.map(({ requestId }) => requestId).sort()).toEqual([...ids].sort())
  expect(sold).toEqual([ids[3]])
})

test('error: an error of ours is logged with the id that the caller was given', async () => {
  const lines: unknown[] = []
  const paywall: Paywall = { sell: () => Promise.reject(new Error('broken')) }
  const origin = await startHttpApp({ paywall, log: (...line) => void lines.push(line) })
  const response = await fetch(`${origin}/trust`)
  expect(response.status).toBe(500)
  const requestId = response.headers.get('x-request-id')
  expect(lines).toEqual([
    ['warn', 'request failed: broken', { event: 'request_failed', requestId, reason: 'broken' }],
  ])
})
