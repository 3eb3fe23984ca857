import { expect, test } from 'vitest'
import { BASE, BASE_USDC } from './networks.ts'
import { findDomainFault } from './signingDomain.ts'
import { decodeChallenge } from './x402.ts'

const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const EURC = '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'
const SOLANA = {
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  payTo: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
}

function kindOf(change: Record<string, unknown>): string | undefined {
  const entry = { scheme: 'exact', network: BASE, asset: BASE_USDC, payTo: PAY_TO, amount: '1', ...change }
  const accepts = [{ maxTimeoutSeconds: 60, ...entry }]
  const { offers } = decodeChallenge({ header: null, body: JSON.stringify({ x402Version: 2, accepts }) })
  expect(offers).toHaveLength(1)
  return offers.map((offer) => findDomainFault(offer)?.kind)[0]
}

test('default: rule 6: an exact offer whose `extra` names no domain, or not that of the asset, is refused', () => {
  expect(kindOf({ extra: { name: 'USD Coin', version: '2' } })).toBeUndefined()
  for (const extra of [undefined, {}, { name: 'USD Coin' }, { version: '2' }, { name: 7, version: '2' }])
    expect(kindOf({ extra })).toBe('domain_missing')
  for (const extra of [
    { name: 'USDC', version: '2' },
    { name: 'USD Coin', version: '1' },
    { name: 'Permit2', version: '2' },
  ])
    expect(kindOf({ extra })).toBe('domain_mismatch')
})

test('behavior: other forms, and the domains of other tokens, are nothing that stock clients refuse', () => {
  expect(kindOf({ extra: { name: 'GatewayWalletBatched', version: '1' } })).toBeUndefined()
  expect(kindOf({ extra: { assetTransferMethod: 'permit2' } })).toBeUndefined()
  expect(kindOf({ scheme: 'upto' })).toBeUndefined()
  expect(kindOf(SOLANA)).toBeUndefined()
  expect(kindOf({ asset: EURC, extra: { name: 'EURC', version: '2' } })).toBeUndefined()
})
