import { expect, test } from 'vitest'
import { describeFailed, describeUntested, groupUntested, notTested } from './untested.ts'

const untested = (reason: string) => ({ outcome: 'unknown' as const, detail: notTested(reason) })

test('default: checks that were not made are grouped by the reason, the largest group first', () => {
  const findings = [
    untested('this is its first probe'),
    { outcome: 'fail' as const, detail: 'It has 4338 bytes.' },
    untested('no terms were read'),
    { outcome: 'pass' as const, detail: '' },
    untested('no terms were read'),
  ]
  expect(groupUntested(findings).map(describeUntested)).toEqual([
    'Not tested: 2, because no terms were read',
    'Not tested: 1, because this is its first probe',
  ])
})

test('behavior: a check that was stored without a reason has one', () => {
  expect(groupUntested([{ outcome: 'unknown', detail: '' }]).map(describeUntested)).toEqual([
    'Not tested: 1, because nothing to test came back',
  ])
})

test('behavior: what failed is counted without what passed', () => {
  const [fail, pass] = [{ outcome: 'fail' as const }, { outcome: 'pass' as const }]
  expect([[pass], [fail, pass], [fail, fail]].map(describeFailed)).toEqual([
    'Nothing to fix',
    '1 thing to fix',
    '2 things to fix',
  ])
})
