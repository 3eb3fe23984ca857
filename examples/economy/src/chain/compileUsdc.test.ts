import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileUsdc } from './compileUsdc.ts'

test('default: the artifact is what the source compiles to', () => {
  const kept: unknown = JSON.parse(readFileSync(new URL('./artifacts/Usdc.json', import.meta.url), 'utf8'))
  expect(compileUsdc()).toEqual(kept)
})
