import { expect, test } from 'vitest'
import { createServiceReader } from './serviceApi.ts'

test.each([
  [404, 'The service at https://t.example answered with status 404; is it a Touchstone service?'],
  [500, 'The service at https://t.example answered with status 500.'],
])('error: names the service that answers with status %i', async (status, message) => {
  const fetch = async () => new Response('', { status })
  const read = createServiceReader({ url: 'https://t.example/base', fetch, timeoutMs: 1000 })
  await expect(read('/verify', { endpoint: 'https://api.example.com/' })).rejects.toThrow(message)
})

test('error: names the service that does not answer', async () => {
  const fetch = async () => {
    throw new TypeError('fetch failed')
  }
  const read = createServiceReader({ url: 'https://t.example', fetch, timeoutMs: 1000 })
  await expect(read('/verify')).rejects.toThrow('The service at https://t.example did not answer.')
})
