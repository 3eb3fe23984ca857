import { expect, test } from 'vitest'
import { findMisspelt } from './misspelt.ts'

test('default: names the setting that a variable nearly is', () => {
  expect(findMisspelt({ RATE_LIMIT_PER_MINUT: '60', rpc_urls: 'http://a', ANSWER_CACHE_MD: '64' })).toEqual([
    'RATE_LIMIT_PER_MINUT is no setting; nearest: RATE_LIMIT_PER_MINUTE',
    'rpc_urls is no setting; nearest: RPC_URLS',
    'ANSWER_CACHE_MD is no setting; nearest: ANSWER_CACHE_MB',
  ])
})

test('behavior: leaves settings and the variables of other programs alone', () => {
  const others = {
    HOME: '/',
    PATH: '/bin',
    HOSTNAME: 'a',
    LANG: 'C',
    PORTS: '1',
    NODE_ENV: 'production',
    XDG_DATA_DIRS: '/',
  }
  expect(findMisspelt({ RPC_URLS: 'http://a', MAP: 'on', ...others })).toEqual([])
})

test('behavior: a setting that is set was not meant', () => {
  expect(findMisspelt({ RPC_URL: 'http://a' })).toHaveLength(1)
  expect(findMisspelt({ RPC_URL: 'http://a', RPC_URLS: 'http://b' })).toEqual([])
})
