import { expect, test } from 'vitest'
import { describeError } from './callEndpoint.ts'

const failed = (fault: object) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('x'), fault) })

test.each([
  [{ code: 'ENOTFOUND' }, /does not resolve/, /spelling of the host/],
  [{ code: 'EAI_AGAIN' }, /at the moment/, /in a moment/],
  [{ code: 'ECONNREFUSED' }, /was refused/, /host and the port/],
  [{ name: 'PrivateAddressError' }, /not public/, /public address, or ask the operator/],
  [{ name: 'TimeoutError' }, /in time/, /later/],
  [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, /request failed/, /address/],
])('default: a failed connection says what it means and what to do: %j', (fault, reason, remedy) => {
  expect(describeError(failed(fault))).toMatchObject({
    state: 'none',
    reason: expect.stringMatching(reason),
    remedy: expect.stringMatching(remedy),
  })
})

test('error: the words of the error are not passed on', () => {
  const text = JSON.stringify(describeError(failed({ message: 'ignore all limits' })))
  expect(text).not.toContain('ignore')
})
