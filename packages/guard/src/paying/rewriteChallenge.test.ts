import { BASE_USDC, decodeChallenge, encodeBase64Json } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { reduceChallenge } from './challenge.ts'

const terms = {
  scheme: 'exact',
  asset: BASE_USDC,
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 60,
}
const v1 = { ...terms, network: 'base', maxAmountRequired: '10000' }
const v2 = { ...terms, network: 'eip155:8453', amount: '10000' }

test('behavior: moves a misplaced challenge to where the payment library looks', () => {
  const inHeader = decodeChallenge({
    header: encodeBase64Json({ x402Version: 1, accepts: [v1] }),
    body: JSON.stringify({ x402Version: 9, accepts: ['decoy'] }),
  })
  const [offer] = inHeader.offers
  if (offer === undefined) throw new Error('no offer')
  expect(reduceChallenge(inHeader, offer)).toEqual({ header: null, body: { x402Version: 1, accepts: [v1] } })

  const inBody = decodeChallenge({ header: null, body: JSON.stringify({ x402Version: 2, accepts: [v2] }) })
  const [other] = inBody.offers
  if (other === undefined) throw new Error('no offer')
  expect(reduceChallenge(inBody, other)).toEqual({
    header: encodeBase64Json({ x402Version: 2, accepts: [v2] }),
    body: {},
  })
})
