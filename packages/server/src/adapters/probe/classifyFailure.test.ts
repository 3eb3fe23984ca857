import { describe, expect, test } from 'vitest'
import { classifyFailure } from './classifyFailure.ts'

const coded = (code: string) => Object.assign(new Error(code), { code })

describe('a dial that failed', () => {
  test.each(['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EMFILE'])(
    'behavior: %s may be our own way out',
    (code) => {
      const finding = { outcome: 'not_measured', cause: 'own_fault' }
      expect(classifyFailure(coded(code))).toEqual(finding)
      expect(classifyFailure(new AggregateError([coded(code), coded(code)]))).toEqual(finding)
    },
  )

  test('behavior: a refusal is the word of the other side, whatever became of its other addresses', () => {
    expect(classifyFailure(new AggregateError([coded('EHOSTUNREACH'), coded('ECONNREFUSED')]))).toEqual({
      outcome: 'down',
      cause: 'refused',
    })
  })
})
