import { NETWORKS } from '@touchstone402/shared'
import { COSIGNATURE_TYPE, formatVerifierKey } from '@touchstone402/transparency'
import { expect, test } from 'vitest'
import { problemsOf } from './testing.ts'

const key = (name: string, byte: number) =>
  formatVerifierKey(name, new Uint8Array(32).fill(byte), COSIGNATURE_TYPE)

test.each([
  ['the zero address', `0x${'00'.repeat(20)}`],
  ['an address that coins are burnt at', '0x000000000000000000000000000000000000dEaD'],
  ['another one', '0xdead000000000000000000000000000000000000'],
  ['the last address', `0x${'ff'.repeat(20)}`],
  ['a precompiled contract', `0x${'00'.repeat(19)}02`],
])('error: refuses to be paid at %s', (_, PAY_TO) => {
  expect(problemsOf({ PAY_TO })).toEqual([
    'PAY_TO is an address that nobody can pay from: payments to it would be lost',
  ])
})

test('error: refuses to be paid at the contract of the token, on every network', () => {
  for (const { caip2, usdc } of NETWORKS.filter((network) => network.caip2.startsWith('eip155:')))
    expect([caip2, problemsOf({ NETWORK: caip2, PAY_TO: usdc.toLowerCase() })]).toEqual([
      caip2,
      ['PAY_TO is the contract of USDC: payments to it would be lost'],
    ])
})

test.each([
  ['RPC_URLS', 'https://a.example/key,https://b.example,https://A.example:443/key/', 'a.example'],
  ['DIRECTORIES', 'bazaar=https://a.example,bazaar:b=https://a.example/', 'the directory of "b"'],
  ['DIRECTORIES', 'file:a=/list,file:b=/list', 'the directory of "b"'],
  ['MCP_DIRECTORIES', 'registry=https://a.example,registry:b=https://a.example', 'the directory of "b"'],
  [
    'LOG_WITNESSES',
    `https://a.example ${key('a', 1)},https://a.example/ ${key('b', 2)}`,
    'https://a.example',
  ],
  ['LOG_WITNESSES', `https://a.example ${key('a', 1)},https://b.example ${key('a', 1)}`, key('a', 1)],
])('error: refuses what %s names twice: %s', (name, given, twice) => {
  expect(problemsOf({ [name]: given })).toEqual([expect.stringContaining(`${name} names ${twice} twice`)])
})

test('error: refuses two directories of one name, which nothing would tell apart', () => {
  const problem = 'names two directories "bazaar": give one another name, such as bazaar:other=URL'
  expect(problemsOf({ DIRECTORIES: 'bazaar=https://a.example,bazaar=https://b.example' })).toEqual([
    `DIRECTORIES ${problem}`,
  ])
})

test('behavior: shows no path of an RPC, which may be its key', () => {
  const url = 'https://a.example/v2/SECRET'
  expect(problemsOf({ RPC_URLS: `${url},${url}` }).join('\n')).not.toContain('SECRET')
  expect(problemsOf({ RPC_URLS: `${url},https://a.example/v2/OTHER` })).toEqual([])
})

test("error: refuses a shopper's limit of a call above its limit of a day", () => {
  const shopper = { SHOPPER_KEY_FILE: '/keys/shopper', SHOPPER_PER_DAY_USD: '0.5' }
  expect(problemsOf({ ...shopper, SHOPPER_PER_CALL_USD: '0.500001' })).toEqual([
    'SHOPPER_PER_CALL_USD is above SHOPPER_PER_DAY_USD: no call of that price would be bought',
  ])
  expect(problemsOf({ ...shopper, SHOPPER_PER_CALL_USD: '0.50' })).toEqual([])
})

test('error: refuses private hosts without a port', () => {
  expect(problemsOf({ DEVELOPMENT_ALLOW_HOSTS: '127.0.0.1:8080,[::1]:80' })).toEqual([])
  for (const item of ['127.0.0.1', 'http://127.0.0.1:80', 'a:b', ':80', 'a:99999'])
    expect(problemsOf({ DEVELOPMENT_ALLOW_HOSTS: item })).toEqual([
      `DEVELOPMENT_ALLOW_HOSTS "${item}" must be host:port, such as 127.0.0.1:8080`,
    ])
})

test('error: refuses metrics at the port of the service', () => {
  expect(problemsOf({ PORT: '9000', METRICS_PORT: '9000' })).toEqual([
    'METRICS_PORT is that of the service (PORT): give it another one',
  ])
  expect(problemsOf({ METRICS_PORT: '8402' })).toHaveLength(1)
  expect(problemsOf({ PORT: '0', METRICS_PORT: '0' })).toEqual([])
  expect(problemsOf({ METRICS_PORT: '8402', METRICS_HOST: '10.0.0.5', HOST: '10.0.0.6' })).toEqual([])
})

test('error: refuses one file for two keys', () => {
  const shopper = { SHOPPER_PER_CALL_USD: '0.1', SHOPPER_PER_DAY_USD: '1' }
  expect(problemsOf({ SIGNING_KEY_FILE: '/keys/a', LOG_KEY_FILE: '/keys/../keys/a' })).toEqual([
    'LOG_KEY_FILE is the file of SIGNING_KEY_FILE: each key has a file of its own',
  ])
  expect(problemsOf({ LOG_KEY_FILE: '/keys/a', SHOPPER_KEY_FILE: '/keys/a', ...shopper })).toHaveLength(1)
  // The files that they have by default count too.
  expect(problemsOf({ DATA_DIR: '/data', LOG_KEY_FILE: '/data/signing-keys.json' })).toHaveLength(1)
  expect(problemsOf({ SIGNING_KEY_FILE: '/keys/a', LOG_KEY_FILE: '/keys/b' })).toEqual([])
})

test('error: refuses the service itself as its facilitator', () => {
  expect(problemsOf({ FACILITATOR_URL: 'https://trust.example/' })).toEqual([
    'FACILITATOR_URL is that of the service itself, which settles nothing',
  ])
})
