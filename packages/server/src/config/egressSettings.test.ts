import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const required = {
  PUBLIC_URL: 'http://localhost:8402',
  RPC_URLS: 'https://rpc.example',
  FACILITATOR_URL: 'https://facilitator.example',
  PAY_TO: `0x${'a'.repeat(40)}`,
  DIRECTORIES: 'bazaar=https://directory.example',
}

test('default: each part has its way out, by default the one of the machine', () => {
  const none = { prober: null, checks: null, shopper: null }
  expect(readConfig(required)).toMatchObject({ config: { egress: none } })
  const proxy = 'http://user:secret@10.0.0.5:3128'
  const given = { ...required, EGRESS_PROBER: proxy, EGRESS_SHOPPER: '127.0.0.1' }
  expect(readConfig(given)).toMatchObject({
    config: { egress: { prober: { proxy }, checks: null, shopper: { localAddress: '127.0.0.1' } } },
  })
})

test.each([
  'https://proxy.example:3128',
  'socks5://10.0.0.5',
  'http://10.0.0.5/path',
  'proxy.example',
  '10.0.0',
])('error: %s is no way out, and the message names the setting', (given) => {
  expect(readConfig({ ...required, EGRESS_CHECKS: given })).toEqual({
    ok: false,
    problems: [
      'EGRESS_CHECKS must be the URL of an HTTP proxy, such as http://10.0.0.5:3128, or an address of this machine',
    ],
  })
})

test('error: an address of another machine is no way out', () => {
  expect(readConfig({ ...required, EGRESS_PROBER: '192.0.2.1' })).toEqual({
    ok: false,
    problems: ['EGRESS_PROBER is 192.0.2.1, which is no address of this machine'],
  })
})
