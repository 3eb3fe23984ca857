import { expect, test } from 'vitest'
import { TOKEN } from '../testing/anyRows.ts'
import type { Address } from '../types.ts'
import { tokenWarnings } from './warnings.ts'

const usdc = [{ symbol: 'USDC', address: TOKEN.address as Address }]
test('default: warns of an imitated symbol, missing metadata and unmatched balances', () => {
  expect(tokenWarnings(TOKEN, usdc, { kind: 'fits' })).toEqual([])
  expect(tokenWarnings({ ...TOKEN, address: `0x${'8'.repeat(40)}`, symbol: ' usdc' }, usdc, null)).toEqual([
    'symbol_of_another_token',
  ])
  expect(tokenWarnings({ ...TOKEN, decimals: null, symbol: null }, usdc, { kind: 'rebases' })).toEqual([
    'decimals_unknown',
    'symbol_unknown',
    'rebases',
  ])
})
