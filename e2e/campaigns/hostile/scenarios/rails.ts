import { EXTRA } from '../openSeller.ts'
import { approves, attack, eachNew, type Scenario, V2 } from '../situations.ts'
import { OTHER_TOKEN, THIEF } from '../world.ts'

const rail = attack('rail_switch')
const swap = attack('asset_swap')

const exactAlone = 'both clients know the exact scheme alone'

/** Other ways to pay in place of the checked one, and assets that change. */
export const rails: readonly Scenario[] = [
  rail('The seller asks for a payment channel that settles in batches.', 'SCHEME_NOT_ALLOWED', {
    scheme: 'batch-settlement',
    payTo: THIEF,
    notDrainable: exactAlone,
  }),
  rail(
    'The seller asks for a payment that it captures later, up to its own deadline.',
    'SCHEME_NOT_ALLOWED',
    { scheme: 'auth-capture', extra: { ...EXTRA, captureDeadline: 1_893_456_000 }, notDrainable: exactAlone },
  ),
  rail('The seller asks for a spend from a Circle Gateway balance.', 'SCHEME_NOT_ALLOWED', {
    extra: { name: 'GatewayWalletBatched', version: '1', verifyingContract: OTHER_TOKEN },
    notDrainable: 'the signature is worth nothing at the token',
  }),
  rail('The seller asks for a delegation that it may redeem (ERC-7710).', 'SCHEME_NOT_ALLOWED', {
    payTo: THIEF,
    extra: { ...EXTRA, assetTransferMethod: 'erc7710' },
  }),
  rail('The seller switches to Solana, where the caller holds no budget.', 'NETWORK_NOT_ALLOWED', {
    rawNetwork: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    payTo: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
    lanes: V2,
    notDrainable: 'the clients have no Solana wallet',
  }),
  rail('The seller asks for Permit2 once the first plain payment has built trust.', 'SCHEME_NOT_ALLOWED', {
    terms: ({ challenges }) => [
      challenges === 0 ? {} : { extra: { ...EXTRA, assetTransferMethod: 'permit2' } },
    ],
    url: eachNew,
    ...approves(1, 2),
  }),
  rail(
    'The network id has a leading zero, which a client reads as the same number.',
    ['NETWORK_NOT_ALLOWED', 'CHALLENGE_MALFORMED'],
    {
      rawNetwork: 'eip155:08453',
      payTo: THIEF,
      lanes: V2,
      notDrainable: 'the client looks for a spend limit of that very name, and finds none',
    },
  ),
  rail(
    'The network id is a pattern that covers every EVM network.',
    ['NETWORK_NOT_ALLOWED', 'CHALLENGE_MALFORMED'],
    { rawNetwork: 'eip155:*', payTo: THIEF, lanes: V2, notDrainable: 'no signature can be made for it' },
  ),
  swap('The asset changes once the first payment has built trust.', 'ASSET_NOT_ALLOWED', {
    terms: ({ challenges }) => [challenges === 0 ? {} : { asset: OTHER_TOKEN, amount: '90000' }],
    url: eachNew,
    ...approves(1, 2),
  }),
  swap('The asset is the USDC of another network.', 'ASSET_NOT_ALLOWED', {
    asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    notDrainable: 'no token is at this address',
  }),
  swap('The asset is the zero address, which some wallets read as the native coin.', 'ASSET_NOT_ALLOWED', {
    asset: `0x${'0'.repeat(40)}`,
    notDrainable: 'no token is at this address',
  }),
  swap('A second token is named beside the first, as the contract that verifies the signature.', null, {
    extra: { ...EXTRA, verifyingContract: OTHER_TOKEN, chainId: 1 },
    approved: 1,
    notDrainable: 'both clients sign for the asset of the entry',
  }),
  swap(
    'The thief takes the token that was checked for another endpoint of the verdict.',
    'TERMS_NOT_CHECKED',
    {
      asset: OTHER_TOKEN,
      payTo: THIEF,
      policy: {
        assets: [
          { network: 'eip155:8453', address: OTHER_TOKEN, name: 'USD Coin', version: '2', decimals: 6 },
        ],
      },
    },
  ),
]
