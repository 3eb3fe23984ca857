import { encodeBase64Json } from '@touchstone402/shared'
import { BASE, DOMAIN, type Entry, exact, type FormRow, PAY_TO, USDC, usdc } from './rows.ts'

const MPP = 'paymentauth.org, draft-ryan-httpauth-payment'
const MPPX = 'mppx 0.11, methods'
const L402 = 'lightninglabs/L402, protocol specification'
const TEMPO_USD = '0x20c0000000000000000000000000000000000001'

/** Writes a challenge of MPP. */
function payment(method: string, intent: string, request: Entry): string {
  return `Payment id="x7Tg2pLqR9mKvNwY3hBcZa", realm="api.example.com", method="${method}", intent="${intent}", request="${encodeBase64Json(request)}"`
}
const evmRequest = {
  amount: '10000',
  currency: USDC,
  recipient: PAY_TO,
  methodDetails: { chainId: 8453, credentialTypes: ['authorization'], decimals: 6 },
}
const tempoRequest = {
  amount: '10000',
  currency: TEMPO_USD,
  recipient: PAY_TO,
  methodDetails: { chainId: 4217, feePayer: true },
}
const stripeRequest = {
  amount: '1',
  currency: 'usd',
  decimals: 2,
  methodDetails: { networkId: 'internal', paymentMethodTypes: ['card', 'link'] },
}
const lightningRequest = {
  amount: '100',
  currency: 'sat',
  methodDetails: { invoice: 'lnbc1u1pj48ugqpp5', network: 'mainnet' },
}
const solanaRequest = {
  amount: '10000',
  currency: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  recipient: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
  methodDetails: { network: 'mainnet-beta', decimals: 6 },
}
const cardRequest = { amount: '1', currency: 'usd', methodDetails: { networks: ['visa', 'mastercard'] } }

const OFFERS: readonly [name: string, challenge: string][] = [
  ['evm charge', payment('evm', 'charge', evmRequest)],
  ['tempo charge', payment('tempo', 'charge', tempoRequest)],
  [
    'tempo session',
    payment('tempo', 'session', {
      ...tempoRequest,
      amount: '25',
      unitType: 'request',
      suggestedDeposit: '1000000',
    }),
  ],
  ['stripe charge', payment('stripe', 'charge', stripeRequest)],
  ['lightning charge', payment('lightning', 'charge', lightningRequest)],
  ['solana charge', payment('solana', 'charge', solanaRequest)],
  ['card charge', payment('card', 'charge', cardRequest)],
]

/** Other protocols beside x402, or alone. */
export const protocolForms: readonly FormRow[] = [
  ...OFFERS.map(
    ([name, challenge]): FormRow => ({
      name: `MPP ${name} beside x402`,
      source: `${MPP}; ${MPPX}`,
      headers: { 'WWW-Authenticate': challenge },
      accepts: [usdc()],
    }),
  ),
  ...OFFERS.map(
    ([name, challenge]): FormRow => ({
      name: `MPP ${name} alone`,
      source: `${MPP}; ${MPPX}`,
      right: ['unknown'],
      headers: { 'WWW-Authenticate': challenge },
      accepts: [],
      shape: 'none',
    }),
  ),
  {
    name: 'MPP evm and stripe in one header, beside x402',
    source: MPP,
    headers: {
      'WWW-Authenticate': [
        payment('evm', 'charge', evmRequest),
        payment('stripe', 'charge', stripeRequest),
      ].join(', '),
    },
    accepts: [usdc()],
  },
  {
    name: 'L402 alone',
    source: L402,
    right: ['unknown'],
    headers: { 'WWW-Authenticate': 'L402 macaroon="AgEEbHNhdA==", invoice="lnbc1u1pj48ugqpp5"' },
    accepts: [],
    shape: 'none',
  },
  {
    name: 'LSAT, the older name of L402, beside x402',
    source: L402,
    headers: { 'WWW-Authenticate': 'LSAT macaroon="AgEEbHNhdA==", invoice="lnbc1u1pj48ugqpp5"' },
    accepts: [usdc()],
  },
  {
    name: 'L402 and MPP beside a v1 body',
    source: `${L402}; ${MPP}`,
    headers: {
      'WWW-Authenticate': `L402 macaroon="AgEEbHNhdA==", invoice="lnbc1u1pj48ugqpp5", ${payment('evm', 'charge', evmRequest)}`,
    },
    shape: 'v1',
    accepts: [usdc()],
  },
  {
    name: 'a bearer scheme beside x402',
    source: 'RFC 6750, section 3: an API that takes keys too',
    headers: { 'WWW-Authenticate': 'Bearer realm="api.example.com"' },
    accepts: [exact(BASE, USDC, PAY_TO, DOMAIN)],
  },
]
