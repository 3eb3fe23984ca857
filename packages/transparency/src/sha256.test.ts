import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadNativeSha256 } from './sha256.ts'
import { sha256InScript } from './sha256InScript.ts'

test('default: the native hash is the one in JavaScript', () => {
  const native = loadNativeSha256()
  expect(native).not.toBeNull()
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(native?.(bytes)).toEqual(sha256InScript(bytes))
    }),
  )
})

test.each([
  ['a browser', {}],
  ['a process without built-in modules', { process: {} }],
  ['a process without the module', { process: { getBuiltinModule: () => undefined } }],
  ['a module without one-shot hashes', { process: { getBuiltinModule: () => ({}) } }],
])('behavior: %s has no native hash', (_, runtime) => {
  expect(loadNativeSha256(runtime)).toBeNull()
})
