import { describe, expect, test } from 'vitest'
import { classifyFailure } from './classifyFailure.ts'

const coded = (code: string) => Object.assign(new Error(code), { code })

describe('classifyFailure', () => {
  test.each(['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EMFILE'])(
    'behavior: %s is our own fault, because our network may be down',
    (code) => {
      const finding = { outcome: 'not_measured', cause: 'own_fault' }
      expect(classifyFailure(coded(code))).toEqual(finding)
      expect(classifyFailure(new AggregateError([coded(code), coded(code)]))).toEqual(finding)
    },
  )

  test('behavior: a refusal by one address outweighs network errors of the others', () => {
    expect(classifyFailure(new AggregateError([coded('EHOSTUNREACH'), coded('ECONNREFUSED')]))).toEqual({
      outcome: 'down',
      cause: 'refused',
    })
  })
})
