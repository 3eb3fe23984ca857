import { expect, test } from 'vitest'
import { hideSecrets, keepHosts } from './hideSecrets.ts'

test.each([
  ['https://user:S3CRET@rpc.example/', 'https://rpc.example/'],
  ['https://rpc.example/v2/S3CRET-key_x1', 'https://rpc.example/v2/…'],
  ['https://rpc.example/rpc?apikey=S3CRET', 'https://rpc.example/rpc?…'],
  ['https://rpc.example/3f0a9c77d1e24b6f8a90/base', 'https://rpc.example/…/base'],
  ['https://rpc.example/1b4e28ba-2fa1-11d2-883f-0016d3cca427', 'https://rpc.example/…'],
  ['https://hooks.example/services/T0/aB3dE5gH7jK9mN1pQ3sT5vX7', 'https://hooks.example/services/T0/…'],
  ['postgres://touchstone:S3CRET@db.example:5432/trust', 'postgres://db.example:5432/trust'],
  ['https://npm.example/#S3CRET', 'https://npm.example/#…'],
])('default: %s is shown as %s', (url, shown) => {
  expect(hideSecrets(url)).toBe(shown)
  expect(hideSecrets(`[GET] "${url}": 402; ${url}, ${url}: no answer (${url}).`)).toBe(
    `[GET] "${shown}": 402; ${shown}, ${shown}: no answer (${shown}).`,
  )
})

test('behavior: hides each URL of a comma-separated list', () => {
  expect(hideSecrets('https://a.example/?k=1,wss://u:p@b.example/v3/ABCDEFGH1,https://c.example/x')).toBe(
    'https://a.example/?…,wss://b.example/v3/…,https://c.example/x',
  )
})

test.each([
  'https://a.example/v1/forecast',
  'https://a.example/platform/v2/x402/discovery/resources',
  'https://a.example/api/get-weather-forecast-for-2026',
  'https://a.example/token/0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  'https://a.example/items/{id}: 3 of 4 failed',
  'http://127.0.0.1:9402/metrics',
  'no URL: a//b, c:d',
])('behavior: leaves %s as it is', (text) => {
  expect(hideSecrets(text)).toBe(text)
})

test('error: shows nothing of a URL that cannot be parsed', () => {
  expect(hideSecrets('https://u:S3CRET@[x/ is wrong')).toBe('https://… is wrong')
})

test.each([
  ['http://user:S3CRET@127.0.0.1:1/key/S3CRET?k=S3CRET', '127.0.0.1:1'],
  ['https://user:S3,CR;ET@rpc.example/S3,CR;ET', 'rpc.example'],
  ['https://a.example/S3CRET,wss://b.example/S3CRET', 'a.example,b.example'],
  ['https://u:S3CRET@[x/', 'https://…'],
])('behavior: keeps only the host of %s', (url, shown) => {
  expect(keepHosts(`RPC_URLS: ${url} fails; ${url}.`)).toBe(`RPC_URLS: ${shown} fails; ${shown}.`)
})
