import type { Scenario } from '../types.ts'
import { OTHER_TOKEN, THIEF } from '../world.ts'

const rail = 'rail_switch'
const swap = 'asset_swap'
const exactAlone = 'both clients know the exact scheme alone'
const V2 = [{ client: '@x402/fetch', wire: 'v2' }] as const
const EXTRA = { name: 'USD Coin', version: '2' }
const url = ({ origin, count }: { origin: string; count: number }) => `${origin}/weather?call=${count}`

/** Other ways to pay in place of the checked one, and assets that change. */
export const rails: readonly Scenario[] = [
  {
    category: rail,
    name: 'The seller asks for a payment channel that settles in batches.',
    seller: { terms: [{ scheme: 'batch-settlement', payTo: THIEF }] },
    code: 'SCHEME_NOT_ALLOWED',
    notDrainable: exactAlone,
  },
  {
    category: rail,
    name: 'The seller asks for a payment that it captures later, up to a deadline of its own.',
    seller: { terms: [{ scheme: 'auth-capture', extra: { ...EXTRA, captureDeadline: 1_893_456_000 } }] },
    code: 'SCHEME_NOT_ALLOWED',
    notDrainable: exactAlone,
  },
  {
    category: rail,
    name: 'The seller asks for a spend from a Circle Gateway balance.',
    seller: {
      terms: [{ extra: { name: 'GatewayWalletBatched', version: '1', verifyingContract: OTHER_TOKEN } }],
    },
    code: 'SCHEME_NOT_ALLOWED',
    notDrainable: 'the signature is worth nothing at the token',
  },
  {
    category: rail,
    name: 'The seller asks for a delegation that it may redeem (ERC-7710).',
    seller: { terms: [{ payTo: THIEF, extra: { ...EXTRA, assetTransferMethod: 'erc7710' } }] },
    code: 'SCHEME_NOT_ALLOWED',
  },
  {
    category: rail,
    name: 'The seller switches to Solana, where the caller holds no budget.',
    seller: {
      terms: [
        {
          rawNetwork: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
          asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
          payTo: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
        },
      ],
    },
    lanes: V2,
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: 'the clients have no Solana wallet',
  },
  {
    category: rail,
    name: 'The seller asks for Permit2 once the first plain payment has built trust.',
    seller: {
      terms: ({ challenges }) => [
        challenges === 0 ? {} : { extra: { ...EXTRA, assetTransferMethod: 'permit2' } },
      ],
    },
    url,
    calls: 2,
    approved: 1,
    code: 'SCHEME_NOT_ALLOWED',
  },
  {
    category: rail,
    name: 'The network id has a leading zero, which a client reads as the same number.',
    seller: { terms: [{ rawNetwork: 'eip155:08453', payTo: THIEF }] },
    lanes: V2,
    code: ['NETWORK_NOT_ALLOWED', 'CHALLENGE_MALFORMED'],
    notDrainable: 'the client looks for a spend limit of that very name, and finds none',
  },
  {
    category: rail,
    name: 'The network id is a pattern that covers every EVM network.',
    seller: { terms: [{ rawNetwork: 'eip155:*', payTo: THIEF }] },
    lanes: V2,
    code: ['NETWORK_NOT_ALLOWED', 'CHALLENGE_MALFORMED'],
    notDrainable: 'no signature can be made for it',
  },
  {
    category: swap,
    name: 'The asset changes once the first payment has built trust.',
    seller: { terms: ({ challenges }) => [challenges === 0 ? {} : { asset: OTHER_TOKEN, amount: '90000' }] },
    url,
    calls: 2,
    approved: 1,
    code: 'ASSET_NOT_ALLOWED',
  },
  {
    category: swap,
    name: 'The asset is the USDC of another network.',
    seller: { terms: [{ asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' }] },
    code: 'ASSET_NOT_ALLOWED',
    notDrainable: 'no token is at this address',
  },
  {
    category: swap,
    name: 'The asset is the zero address, which some wallets read as the native coin.',
    seller: { terms: [{ asset: `0x${'0'.repeat(40)}` }] },
    code: 'ASSET_NOT_ALLOWED',
    notDrainable: 'no token is at this address',
  },
  {
    category: swap,
    name: 'A second token is named beside the first, as the contract that verifies the signature.',
    seller: { terms: [{ extra: { ...EXTRA, verifyingContract: OTHER_TOKEN, chainId: 1 } }] },
    approved: 1,
    code: null,
    notDrainable: 'both clients sign for the asset of the entry',
  },
  {
    category: swap,
    name: 'The thief takes the token that was checked for another endpoint of the verdict.',
    seller: { terms: [{ asset: OTHER_TOKEN, payTo: THIEF }] },
    policy: {
      assets: [{ network: 'eip155:8453', address: OTHER_TOKEN, name: 'USD Coin', version: '2', decimals: 6 }],
    },
    code: 'TERMS_NOT_CHECKED',
  },
]
