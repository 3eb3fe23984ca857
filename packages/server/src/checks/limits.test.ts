import { expect, test } from 'vitest'
import { createCheckLimits } from './limits.ts'

test('behavior: strangers cannot use up the checks of the owner, nor those of a domain by names that do not resolve', async () => {
  const limits = createCheckLimits({
    resolve: async (name) => (name.startsWith('no-') ? [] : ['198.51.100.7']),
  })
  let clients = 0
  const take = async (host: string, isOwner = false) => {
    const counted = { host, endpoint: `https://${host}/`, client: `client ${clients++}`, isOwner }
    return limits.take(counted).then(
      () => 'ok',
      (error) => error.refusal.code,
    )
  }
  for (let count = 0; count < 40; count++) expect(await take('no-such.shop.example')).toBe('ok')
  for (let count = 0; count < 12; count++) expect(await take('api.shop.example')).toBe('ok')
  expect(await take('api.shop.example')).toBe('scanned_often')
  for (let count = 0; count < 12; count++) expect(await take('api.shop.example', true)).toBe('ok')
  expect(await take('api.shop.example', true)).toBe('scanned_often')
})
