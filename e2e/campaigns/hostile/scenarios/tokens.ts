import type { Scenario } from '../types.ts'
import { HONEST, OTHER_TOKEN, THIEF } from '../world.ts'

const useless = 'the signature is worth nothing at the token'
const EXTRA = { name: 'USD Coin', version: '2' }

/** Other tokens, other signing domains, and other transfer methods. */
export const tokens: readonly Scenario[] = [
  {
    category: 'asset_swap',
    name: 'The seller asks for another token that the wallet holds.',
    seller: { terms: [{ asset: OTHER_TOKEN }] },
    code: 'ASSET_NOT_ALLOWED',
  },
  {
    category: 'asset_swap',
    name: 'The seller asks for another token and receiver in place of the cheap entry.',
    seller: { terms: [{ asset: OTHER_TOKEN, payTo: THIEF, amount: '90000' }] },
    code: 'ASSET_NOT_ALLOWED',
  },
  {
    category: 'asset_swap',
    name: 'The seller asks for a token without holders.',
    seller: { terms: [{ asset: THIEF }] },
    code: 'ASSET_NOT_ALLOWED',
    notDrainable: 'the wallet holds none of it',
  },
  {
    category: 'asset_swap',
    name: 'The seller asks for the domain of Permit2.',
    seller: { terms: [{ extra: { name: 'Permit2', version: '2' } }] },
    code: 'DOMAIN_MISMATCH',
    notDrainable: useless,
  },
  {
    category: 'asset_swap',
    name: 'The seller asks for another version of the domain.',
    seller: { terms: [{ extra: { name: 'USD Coin', version: '1' } }] },
    code: 'DOMAIN_MISMATCH',
    notDrainable: useless,
  },
  {
    category: 'rail_switch',
    name: 'The seller asks for an allowance by Permit2.',
    seller: { terms: [{ extra: { ...EXTRA, assetTransferMethod: 'permit2' } }] },
    code: 'SCHEME_NOT_ALLOWED',
    // The v1 client ignores transfer methods and signs an authorization.
  },
  {
    category: 'rail_switch',
    name: 'The seller asks for an approval sponsored by the seller.',
    seller: {
      terms: [{ extra: { ...EXTRA, assetTransferMethod: 'permit2' } }],
      document: { extensions: { eip2612GasSponsoring: { info: { version: '1' } } } },
    },
    code: 'SCHEME_NOT_ALLOWED',
  },
  {
    category: 'rail_switch',
    name: 'The seller asks for payment up front.',
    seller: { terms: [{ extra: { ...EXTRA, paymentFlow: 'upfront' } }] },
    code: 'SCHEME_NOT_ALLOWED',
  },
  {
    category: 'rail_switch',
    name: 'The seller asks for payment into escrow.',
    seller: { terms: [{ payTo: THIEF, extra: { ...EXTRA, paymentFlow: 'escrow' } }] },
    code: 'SCHEME_NOT_ALLOWED',
  },
  {
    category: 'rail_switch',
    name: 'The seller asks for payment up to an amount.',
    seller: { terms: [{ scheme: 'upto', amount: '90000' }] },
    code: 'SCHEME_NOT_ALLOWED',
    notDrainable: 'both clients know the exact scheme alone',
  },
  {
    category: 'recipient_redirect',
    name: 'The seller asks for the token itself as the receiver.',
    seller: { terms: [{ payTo: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }] },
    code: 'RECEIVER_NOT_ALLOWED',
  },
  {
    category: 'recipient_redirect',
    name: 'The seller asks for a receiver that is not an address.',
    seller: { terms: [{ payTo: `${HONEST}00` }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'no signature can be made for it',
  },
]
