import { EXTRA } from '../openSeller.ts'
import { attack, type Scenario } from '../situations.ts'
import { HONEST, OTHER_TOKEN, THIEF } from '../world.ts'

const swap = attack('asset_swap')
const rail = attack('rail_switch')
const redirect = attack('recipient_redirect')

const useless = 'the signature is worth nothing at the token'

/** Other tokens, other signing domains, and other transfer methods. */
export const tokens: readonly Scenario[] = [
  swap('The seller asks for another token that the wallet holds.', 'ASSET_NOT_ALLOWED', {
    asset: OTHER_TOKEN,
  }),
  swap('The seller asks for another token and receiver in place of the cheap entry.', 'ASSET_NOT_ALLOWED', {
    asset: OTHER_TOKEN,
    payTo: THIEF,
    amount: '90000',
  }),
  swap('The seller asks for a token without holders.', 'ASSET_NOT_ALLOWED', {
    asset: THIEF,
    notDrainable: 'the wallet holds none of it',
  }),
  swap('The seller asks for the domain of Permit2.', 'DOMAIN_MISMATCH', {
    extra: { name: 'Permit2', version: '2' },
    notDrainable: useless,
  }),
  swap('The seller asks for another version of the domain.', 'DOMAIN_MISMATCH', {
    extra: { name: 'USD Coin', version: '1' },
    notDrainable: useless,
  }),
  rail('The seller asks for an allowance by Permit2.', 'SCHEME_NOT_ALLOWED', {
    extra: { ...EXTRA, assetTransferMethod: 'permit2' },
  }),
  rail('The seller asks for an approval sponsored by the seller.', 'SCHEME_NOT_ALLOWED', {
    extra: { ...EXTRA, assetTransferMethod: 'permit2' },
    document: { extensions: { eip2612GasSponsoring: { info: { version: '1' } } } },
  }),
  rail('The seller asks for payment up front.', 'SCHEME_NOT_ALLOWED', {
    extra: { ...EXTRA, paymentFlow: 'upfront' },
  }),
  rail('The seller asks for payment into escrow.', 'SCHEME_NOT_ALLOWED', {
    payTo: THIEF,
    extra: { ...EXTRA, paymentFlow: 'escrow' },
  }),
  rail('The seller asks for payment up to an amount.', 'SCHEME_NOT_ALLOWED', {
    scheme: 'upto',
    amount: '90000',
    notDrainable: 'both clients know the exact scheme alone',
  }),
  redirect('The seller asks for the token itself as the receiver.', 'RECEIVER_NOT_ALLOWED', {
    payTo: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  }),
  redirect('The seller asks for a receiver that is not an address.', 'CHALLENGE_MALFORMED', {
    payTo: `${HONEST}00`,
    notDrainable: 'no signature can be made for it',
  }),
]
