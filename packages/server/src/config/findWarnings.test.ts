import { expect, test } from 'vitest'
import { findWarnings } from './findWarnings.ts'
import { anEnvironment } from './testing.ts'

const warningsOf = (changes: Record<string, string | undefined>) => findWarnings(anEnvironment(changes))

test('default: finds nothing in the settings of a sound service', () => {
  expect(warningsOf({})).toEqual([])
})

test('behavior: an https service has a proxy in front, by whose address all clients would be one', () => {
  const line =
    'TRUST_PROXY is 0, but PUBLIC_URL is https, so a proxy is in front: limits take all its clients for one; set the number of proxies'
  expect(warningsOf({ TRUST_PROXY: undefined })).toEqual([line])
  expect(warningsOf({ TRUST_PROXY: '0' })).toEqual([line])
  expect(warningsOf({ TRUST_PROXY: '0', PUBLIC_URL: 'http://127.0.0.1:8402' })).toEqual([])
})

test('behavior: a public service probes no private hosts', () => {
  const DEVELOPMENT_ALLOW_HOSTS = '127.0.0.1:8080'
  expect(warningsOf({ DEVELOPMENT_ALLOW_HOSTS })).toEqual([
    'DEVELOPMENT_ALLOW_HOSTS is for development, but PUBLIC_URL is https: everybody can have these private hosts probed; remove it',
  ])
  expect(warningsOf({ DEVELOPMENT_ALLOW_HOSTS, PUBLIC_URL: 'http://127.0.0.1:8402' })).toEqual([])
})

test('behavior: RPCs of one host fail together', () => {
  expect(warningsOf({ RPC_URLS: 'https://a.example/1,https://a.example/2,https://b.example' })).toEqual([
    'RPC_URLS has several URLs of a.example: they fail together, and one cannot confirm what another says',
  ])
})

test('behavior: a public service is not on plain HTTP', () => {
  const line =
    'PUBLIC_URL is http: for development only, since nobody can tell whose answers they read; a public service needs https'
  expect(warningsOf({ PUBLIC_URL: 'http://trust.example' })).toEqual([line])
  for (const PUBLIC_URL of ['http://127.0.0.1:8402', 'http://localhost:8402', 'http://[::1]:8402'])
    expect(warningsOf({ PUBLIC_URL })).toEqual([])
})

test('behavior: says nothing of settings that are refused anyway', () => {
  expect(warningsOf({ PAY_TO: 'nonsense', TRUST_PROXY: '0' })).toEqual([])
})

test('behavior: names the setting that a variable nearly is', () => {
  expect(
    warningsOf({
      RATE_LIMIT_PER_MINUT: '60',
      rpc_urls: 'http://a',
      RPC_URLS: undefined,
      ANSWER_CACHE_MD: '64',
    }),
  ).toEqual([
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
  expect(warningsOf({ MAP: 'on', ...others })).toEqual([])
})

test('behavior: a setting that is set was not meant', () => {
  expect(warningsOf({ RPC_URL: 'http://a', RPC_URLS: undefined })).toHaveLength(1)
  expect(warningsOf({ RPC_URL: 'http://a' })).toEqual([])
})
