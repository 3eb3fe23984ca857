import { expect, test } from 'vitest'
import { createGuardError, findGuardError, PaymentBlockedError } from './errors.ts'
import { REASONS, type ReasonCode } from './reasons.ts'

test('default: finds the error itself or among its causes', () => {
  const refused = createGuardError('STOPPED')
  const wrapped = new Error('outer', { cause: new Error('inner', { cause: refused }) })
  expect([findGuardError(refused), findGuardError(wrapped)]).toEqual([refused, refused])
})

test('behavior: restores class, code and details where a library kept the message alone', () => {
  const codes = Object.keys(REASONS) as ReasonCode[]
  for (const details of [undefined, 'It can be collected until noon.']) {
    for (const code of codes) {
      const original = createGuardError(code, { details })
      const found = findGuardError(new Error(`Failed to create payment payload: ${original.message}`))
      const same = { code, details, message: original.message, name: original.name }
      // Nothing tells which of its sentences a model may read.
      expect(found).toMatchObject({ ...same, modelMessage: REASONS[code] })
    }
  }
})

test('error: returns undefined for other errors, however they are made', () => {
  const loop = new Error('loop')
  loop.cause = loop
  const others = [null, 'STOPPED', new Error(REASONS.STOPPED), new Error('fetch failed'), loop]
  expect(others.map(findGuardError)).toEqual([undefined, undefined, undefined, undefined, undefined])
  expect(findGuardError(new Error('Failed to create payment payload: no money'))).toBeUndefined()
  expect(findGuardError(createGuardError('STOPPED'))).toBeInstanceOf(PaymentBlockedError)
})
