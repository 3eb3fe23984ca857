import type { Scenario } from '../types.ts'
import { HONEST, OTHER_TOKEN, THIEF } from '../world.ts'

const row = 'token and signing domain'
const useless = 'the signature is worth nothing at the token'
const EXTRA = { name: 'USD Coin', version: '2' }

/** Other tokens, other signing domains, and other transfer methods. */
export const tokens: readonly Scenario[] = [
  {
    row,
    name: 'another token that the wallet holds',
    seller: { terms: [{ asset: OTHER_TOKEN }] },
    code: 'ASSET_NOT_ALLOWED',
  },
  {
    row,
    name: 'another token and receiver in place of the cheap entry',
    seller: { terms: [{ asset: OTHER_TOKEN, payTo: THIEF, amount: '90000' }] },
    code: 'ASSET_NOT_ALLOWED',
  },
  {
    row,
    name: 'a token without holders',
    seller: { terms: [{ asset: THIEF }] },
    code: 'ASSET_NOT_ALLOWED',
    notDrainable: 'the wallet holds none of it',
  },
  {
    row,
    name: 'the domain of Permit2',
    seller: { terms: [{ extra: { name: 'Permit2', version: '2' } }] },
    code: 'DOMAIN_MISMATCH',
    notDrainable: useless,
  },
  {
    row,
    name: 'another version of the domain',
    seller: { terms: [{ extra: { name: 'USD Coin', version: '1' } }] },
    code: 'DOMAIN_MISMATCH',
    notDrainable: useless,
  },
  {
    row,
    name: 'an allowance by Permit2',
    seller: { terms: [{ extra: { ...EXTRA, assetTransferMethod: 'permit2' } }] },
    code: 'SCHEME_NOT_ALLOWED',
    // The v1 client ignores transfer methods and signs an authorization.
  },
  {
    row,
    name: 'an approval sponsored by the seller',
    seller: {
      terms: [{ extra: { ...EXTRA, assetTransferMethod: 'permit2' } }],
      document: { extensions: { eip2612GasSponsoring: { info: { version: '1' } } } },
    },
    code: 'SCHEME_NOT_ALLOWED',
  },
  {
    row,
    name: 'payment up front',
    seller: { terms: [{ extra: { ...EXTRA, paymentFlow: 'upfront' } }] },
    code: 'SCHEME_NOT_ALLOWED',
  },
  {
    row,
    name: 'payment into escrow',
    seller: { terms: [{ payTo: THIEF, extra: { ...EXTRA, paymentFlow: 'escrow' } }] },
    code: 'SCHEME_NOT_ALLOWED',
  },
  {
    row,
    name: 'up to an amount',
    seller: { terms: [{ scheme: 'upto', amount: '90000' }] },
    code: 'SCHEME_NOT_ALLOWED',
    notDrainable: 'both clients know the exact scheme alone',
  },
  {
    row,
    name: 'the token itself as the receiver',
    seller: { terms: [{ payTo: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }] },
    code: 'RECEIVER_NOT_ALLOWED',
  },
  {
    row,
    name: 'a receiver that is not an address',
    seller: { terms: [{ payTo: `${HONEST}00` }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'no signature can be made for it',
  },
]
