import { expect, test } from 'vitest'
import { describeSigner } from './refuseOffer.ts'

test.each([
  [new Error('CDP 503 Service Unavailable'), 'CDP 503 Service Unavailable'],
  ['user closed the window', 'user closed the window'],
  [new Error('two\nlines\u001b[31m'), 'two\\nlines\\u{1b}[31m'],
  [new Error('GET https://user:pw@rpc.example/x?apiKey=abc failed'), 'GET https://…rpc.example/x?… failed'],
  [new Error(`POST https://base.alchemy.example/v2/${'k3y'.repeat(8)}`), 'POST https:…'],
  [new Error('api_key: "s3cret", status 401'), 'api_key: "…", status 401'],
  [new Error('Authorization: Bearer abc.def'), 'Authorization: Bearer …'],
  [new Error(`bad key 0x${'ab'.repeat(32)}`), 'bad key …'],
  [new Error('x '.repeat(300)), `${'x '.repeat(100)}…`],
])('default: quotes %s without what may be a secret', (error, text) => {
  expect(describeSigner(error)).toBe(`The signer says: ${text}`)
})

test.each([[undefined], [null], [{}], [{ message: 7 }], [Symbol('x')], [new Error('')]])(
  'error: %s has no message',
  (error) => {
    expect(describeSigner(error)).toBe('The signer threw an error without a message.')
  },
)
