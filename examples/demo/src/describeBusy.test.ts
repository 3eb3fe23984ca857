import { expect, test } from 'vitest'
import { describeBusy } from './describeBusy.ts'

test('error: names the services whose audits have not finished, in one sentence', () => {
  expect(describeBusy(['captions.localhost:8403', 'domains.localhost:8403'])).toBe(
    'This machine is too busy for the demonstration: audits of captions.localhost:8403, domains.localhost:8403 have not finished, and no agent paid anyone; try again when it is at rest.',
  )
})
