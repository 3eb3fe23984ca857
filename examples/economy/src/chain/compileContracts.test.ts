import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONTRACTS, compileContract } from './compileContracts.ts'

test.each(Object.keys(CONTRACTS) as (keyof typeof CONTRACTS)[])(
  'default: the committed artifact of %s matches the compiled source',
  (name) => {
    const path = new URL(`./artifacts/${name}.json`, import.meta.url)
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'))
    expect(compileContract(name)).toEqual(kept)
  },
)
