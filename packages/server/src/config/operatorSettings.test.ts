import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const OTHERS = {
  RPC_URLS: 'https://rpc.example',
  FACILITATOR_URL: 'https://facilitator.example',
  PAY_TO: `0x${'11'.repeat(20)}`,
  DIRECTORIES: 'bazaar=https://bazaar.example',
}
const OPERATOR = { OPERATOR_NAME: 'Example Trust', OPERATOR_CONTACT: 'ops@trust.example' }

const read = (given: Readonly<Record<string, string>>, PUBLIC_URL = 'https://trust.example') => {
  const answer = readConfig({ ...OTHERS, PUBLIC_URL, ...given })
  return answer.ok ? answer.config.operator : answer.problems
}

test('default: names who runs the service, and turns a mail address into a URL', () => {
  expect(read(OPERATOR)).toEqual({ name: 'Example Trust', contact: 'mailto:ops@trust.example' })
  for (const OPERATOR_CONTACT of ['mailto:ops@trust.example', 'https://help.example/x'])
    expect(read({ ...OPERATOR, OPERATOR_CONTACT })).toMatchObject({ contact: OPERATOR_CONTACT })
})

test('error: a public service does not start without its operator, and the message names the setting', () => {
  expect(read({})).toEqual([
    expect.stringMatching(/^OPERATOR_NAME is missing: who runs this service/),
    expect.stringMatching(/^OPERATOR_CONTACT is missing: how /),
  ])
  expect(read({ ...OPERATOR, OPERATOR_NAME: ' ' })).toEqual([
    expect.stringMatching(/^OPERATOR_NAME is empty/),
  ])
})

test('error: refuses a contact that does not reach the operator', () => {
  const other = 'OPERATOR_CONTACT must be a mail address, or a mailto: or https: URL'
  for (const [OPERATOR_CONTACT, problem] of [
    ['ask around', other],
    ['javascript:alert(1)', other],
    ['http://help.example', other],
    ['mailto:', other],
    ['https://trust.example/about', 'OPERATOR_CONTACT must not be a page of the service itself'],
  ] as const)
    expect(read({ ...OPERATOR, OPERATOR_CONTACT }), OPERATOR_CONTACT).toEqual([problem])
})

test('behavior: in development, where the public URL is http, no operator is required', () => {
  expect(read({}, 'http://127.0.0.1:8402')).toMatchObject({ contact: 'mailto:nobody@localhost' })
  expect(read(OPERATOR, 'http://127.0.0.1:8402')).toMatchObject({ name: 'Example Trust' })
})

test('default: the licence of the data is an SPDX id or a URL with a name, and none by default', () => {
  const licenseOf = (DATA_LICENSE?: string) => {
    const given = { ...OTHERS, ...OPERATOR, PUBLIC_URL: 'https://trust.example' }
    const answer = readConfig(DATA_LICENSE === undefined ? given : { ...given, DATA_LICENSE })
    return answer.ok ? answer.config.dataLicense : answer.problems
  }
  expect(licenseOf()).toBeNull()
  expect(licenseOf('CC-BY-4.0')).toEqual({
    name: 'CC-BY-4.0',
    url: 'https://spdx.org/licenses/CC-BY-4.0.html',
  })
  expect(licenseOf('https://trust.example/terms Terms of the data')).toEqual({
    name: 'Terms of the data',
    url: 'https://trust.example/terms',
  })
  for (const wrong of ['free for all', 'https://trust.example/terms', 'javascript:alert(1) Terms'])
    expect(licenseOf(wrong), wrong).toEqual([expect.stringMatching(/^DATA_LICENSE must be an SPDX id/)])
})
