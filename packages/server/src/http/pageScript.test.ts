import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { PAGE_SCRIPT, PAGE_SCRIPT_URL } from './pageScript.ts'

test('default', () => {
  expect(() => new Script(PAGE_SCRIPT)).not.toThrow()
  expect(PAGE_SCRIPT_URL).toMatch(/^\/assets\/page\.js\?v=[0-9a-f]{10}$/)
})

test('behavior: uses nothing from outside its own text but what browsers have', () => {
  // Helpers of a compiler would not be there.
  expect(PAGE_SCRIPT).not.toMatch(/\b__\w+|\brequire\(|\bimport\b|\beval\b|innerHTML/)
})
