import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const required = {
  PUBLIC_URL: 'https://trust.example',
  RPC_URLS: 'http://127.0.0.1:8545',
  FACILITATOR_URL: 'http://127.0.0.1:4020',
  PAY_TO: `0x${'11'.repeat(20)}`,
  OPERATOR_NAME: 'Example Trust',
  OPERATOR_CONTACT: 'ops@trust.example',
  DIRECTORIES: 'file=/dev/null',
}
const whole = {
  SHOPPER_KEY_FILE: '/run/secrets/shopper',
  SHOPPER_PER_CALL_USD: '0.05',
  SHOPPER_PER_DAY_USD: '1',
}
const problemsOf = (settings: Record<string, string>) => {
  const read = readConfig({ ...required, ...settings })
  return read.ok ? [] : read.problems
}

test('default: makes no test purchases without a wallet', () => {
  const read = readConfig(required)
  expect(read.ok && read.config.shopper).toBeNull()
})

test('default: reads a wallet with both limits', () => {
  const read = readConfig({ ...required, ...whole, SHOPPER_SERVICE_URL: 'https://other.example' })
  expect(read.ok && read.config.shopper).toEqual({
    keyFile: '/run/secrets/shopper',
    perCallUsd: '0.05',
    perDayUsd: '1',
    serviceUrl: 'https://other.example',
  })
})

test('error: refuses a wallet without limits, and limits without a wallet', () => {
  for (const name of Object.keys(whole)) {
    const { [name as keyof typeof whole]: _left, ...rest } = whole
    expect(problemsOf(rest)).toEqual([
      `${name} is missing: test purchases need SHOPPER_KEY_FILE, SHOPPER_PER_CALL_USD, SHOPPER_PER_DAY_USD`,
    ])
  }
})

test('error: refuses limits that are not dollars above zero', () => {
  for (const limit of ['0', '0.00', '-1', '1e3', '$1', '0.1234567', ' 1', '']) {
    expect([limit, problemsOf({ ...whole, SHOPPER_PER_CALL_USD: limit }).length]).toEqual([limit, 1])
  }
  expect(problemsOf({ ...whole, SHOPPER_SERVICE_URL: 'ftp://x.example' })).toHaveLength(1)
})
