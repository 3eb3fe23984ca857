import { expect, test } from 'vitest'
import { TOKEN } from '../testing/anyRows.ts'
import type { Address, TokenFacts } from '../types.ts'
import { createTokenWarnings } from './warnings.ts'
import { wellKnownTokens } from './wellKnownTokens.ts'

const OTHER: Address = `0x${'8'.repeat(40)}`
const known = wellKnownTokens(8453)
const warningsOf = createTokenWarnings(known)
const about = (symbol: string, name: string, address = OTHER): TokenFacts => ({
  ...TOKEN,
  symbol,
  name,
  address,
})

test('default: warns of an imitated symbol, missing metadata and unmatched balances', () => {
  const usdc = createTokenWarnings([{ symbol: 'USDC', names: [], address: TOKEN.address }])
  expect(usdc(TOKEN, { kind: 'fits' })).toEqual([])
  expect(usdc({ ...TOKEN, address: OTHER, symbol: ' usdc' }, null)).toEqual(['symbol_of_another_token'])
  expect(usdc({ ...TOKEN, decimals: null, symbol: null }, { kind: 'rebases' })).toEqual([
    'decimals_unknown',
    'symbol_unknown',
    'rebases',
  ])
})

test('behavior: look-alikes of the largest tokens are known by symbol and by name', () => {
  for (const [symbol, name, warning] of [
    ['cbBTC', 'Anything', 'symbol_of_another_token'],
    ['\u0441bBTC', 'Anything', 'symbol_looks_like_another_token'],
    ['XYZ', 'Coinbase Wrapped BTC', 'name_looks_like_another_token'],
    ['XYZ', 'cbBTC', 'name_looks_like_another_token'],
    ['AER0', 'Anything', 'symbol_looks_like_another_token'],
    ['XYZ', 'Aerodr\u043eme Finance', 'name_looks_like_another_token'],
    ['USDC.e', 'Anything', 'symbol_looks_like_another_token'],
    ['USD\u0421.e', 'Anything', 'symbol_looks_like_another_token'],
    ['XYZ', 'Bridged USDC (Stargate)', 'name_looks_like_another_token'],
    ['XYZ', 'USD Coin', 'name_looks_like_another_token'],
  ] as const)
    expect([symbol, name, ...warningsOf(about(symbol, name), null)]).toEqual([symbol, name, warning])
})

test('behavior: genuine tokens and honest others are not taken for look-alikes', () => {
  expect(known.length).toBeGreaterThanOrEqual(200)
  for (const { address, symbol, names } of known)
    expect([symbol, ...warningsOf(about(symbol, names[0] ?? '', address), null)]).toEqual([symbol])
  // Short names are common words. Symbols of one letter look like one another.
  for (const [symbol, name] of [
    ['WIDE', 'Token WIDE'],
    ['EDG', 'Edge'],
    ['BASED', 'Based Fellow'],
    ['Q', 'Q Protocol'],
    ['MYUSDX', 'My Dollar'],
  ] as const)
    expect([symbol, ...warningsOf(about(symbol, name), null)]).toEqual([symbol])
})
