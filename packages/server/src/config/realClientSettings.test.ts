import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const required = {
  PUBLIC_URL: 'http://localhost:8402',
  RPC_URLS: 'https://rpc.example',
  FACILITATOR_URL: 'https://facilitator.example',
  PAY_TO: `0x${'a'.repeat(40)}`,
  DIRECTORIES: 'bazaar=https://directory.example',
}

test.each([
  [undefined, null],
  ['none', []],
  ['curl', ['curl']],
  ['httpx, requests,httpx', ['httpx', 'requests']],
])('default: REAL_CLIENTS %s names the programs', (given, realClients) => {
  const read = readConfig({ ...required, ...(given !== undefined && { REAL_CLIENTS: given }) })
  expect(read).toMatchObject({ config: { realClients } })
})

test.each(['wget', 'curl,', 'none,curl', '/usr/bin/curl'])(
  'error: %s is no program, and the message names the setting',
  (given) => {
    expect(readConfig({ ...required, REAL_CLIENTS: given })).toEqual({
      ok: false,
      problems: ['REAL_CLIENTS must be none, or some of curl, requests, httpx, comma-separated'],
    })
  },
)
