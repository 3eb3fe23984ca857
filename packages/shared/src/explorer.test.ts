import { expect, test } from 'vitest'
import { explorerUrl } from './explorer.ts'

test('default: links an address and a transaction to the explorer of the network', () => {
  expect(explorerUrl('eip155:8453', 'tx', '0xab')).toBe('https://basescan.org/tx/0xab')
  expect(explorerUrl('eip155:84532', 'address', '0xab')).toBe('https://sepolia.basescan.org/address/0xab')
  expect(explorerUrl('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'address', 'ab')).toBe(
    'https://solscan.io/account/ab',
  )
})

test('behavior: a network without an explorer has no link, and an id cannot leave its segment', () => {
  expect(explorerUrl('eip155:31337', 'tx', '0xab')).toBeNull()
  expect(explorerUrl('eip155:8453', 'tx', '../x?y')).toBe('https://basescan.org/tx/..%2Fx%3Fy')
})
