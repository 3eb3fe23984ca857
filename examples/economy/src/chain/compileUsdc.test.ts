import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileUsdc } from './compileUsdc.ts'

test('default: the committed artifact matches the compiled source', () => {
  const kept: unknown = JSON.parse(readFileSync(new URL('./artifacts/Usdc.json', import.meta.url), 'utf8'))
  expect(compileUsdc()).toEqual(kept)
})
