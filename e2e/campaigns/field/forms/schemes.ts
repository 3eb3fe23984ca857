import type { FormRow } from './types.ts'

const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'
const OPERATOR = '0x857b06519E91e3A54538791bDbb0E22373e36b66'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const EURC = '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42'
const GATEWAY = '0x77777777Dcc4d5A8B6E418Fd04D8997ef11000eE'
const BASE = 'eip155:8453'

const EXACT = 'specs/schemes/exact/scheme_exact_evm.md'
const UPTO = 'specs/schemes/upto/scheme_upto_evm.md'
const BATCH = 'specs/schemes/batch-settlement/scheme_batch_settlement_evm.md'
const CAPTURE = 'specs/schemes/auth-capture/scheme_auth_capture_evm.md'
const CIRCLE = '@circle-fin/bridge-kit 1.15.1, chain definitions'
const GATEWAY_DOCS = 'developers.circle.com/gateway/nanopayments'

type Entry = Record<string, unknown>

const usdc = (change: Entry = {}): Entry => ({
  ...{ scheme: 'exact', network: BASE, amount: '10000', asset: USDC, payTo: PAY_TO, maxTimeoutSeconds: 60 },
  extra: { name: 'USD Coin', version: '2' },
  ...change,
})

const permit2 = (change: Entry = {}) => usdc({ extra: { assetTransferMethod: 'permit2' }, ...change })

const batch = (extra: Entry = {}) =>
  usdc({
    scheme: 'batch-settlement',
    maxTimeoutSeconds: 3600,
    extra: { receiverAuthorizer: OPERATOR, withdrawDelay: 900, name: 'USD Coin', version: '2', ...extra },
  })

const capture = (extra: Entry = {}) =>
  usdc({
    scheme: 'auth-capture',
    extra: {
      ...{ name: 'USD Coin', version: '2', captureAuthorizer: OPERATOR, receiverAuthorizer: PAY_TO },
      ...{ captureDeadline: 1_893_456_000, refundDeadline: 1_896_048_000, feeRecipient: PAY_TO },
      ...{ minFeeBps: 0, maxFeeBps: 100, ...extra },
    },
  })

/** Schemes, transfer methods and flows on Base. */
export const schemeForms: readonly FormRow[] = [
  { name: 'exact, EIP-3009, default method', source: EXACT, right: ['safe'], accepts: [usdc()] },
  { name: 'exact, EIP-3009, in a v1 body', source: EXACT, right: ['safe'], shape: 'v1', accepts: [usdc()] },
  { name: 'exact, EIP-3009, in both', source: EXACT, right: ['safe'], shape: 'both', accepts: [usdc()] },
  {
    name: 'exact, EIP-3009, stated method and flow',
    source: EXACT,
    right: ['safe'],
    accepts: [
      usdc({
        extra: {
          ...{ name: 'USD Coin', version: '2' },
          ...{ assetTransferMethod: 'eip3009', paymentFlow: 'authorization' },
        },
      }),
    ],
  },
  { name: 'exact, no extra', source: EXACT, right: ['safe'], accepts: [usdc({ extra: undefined })] },
  { name: 'exact, Permit2', source: EXACT, right: ['safe'], accepts: [permit2()] },
  { name: 'exact, Permit2 beside EIP-3009', source: EXACT, right: ['safe'], accepts: [usdc(), permit2()] },
  {
    name: 'exact, ERC-7710',
    source: EXACT,
    right: ['safe'],
    accepts: [usdc({ extra: { assetTransferMethod: 'erc7710' } })],
  },
  {
    name: 'exact, upfront',
    source: 'specs/schemes/exact/scheme_exact.md',
    right: ['safe'],
    accepts: [usdc({ extra: { name: 'USD Coin', version: '2', paymentFlow: 'upfront' } })],
  },
  {
    name: 'upto',
    source: UPTO,
    right: ['safe'],
    accepts: [
      usdc({ scheme: 'upto', extra: { name: 'USD Coin', version: '2', facilitatorAddress: OPERATOR } }),
    ],
  },
  {
    name: 'upto beside exact',
    source: UPTO,
    right: ['safe'],
    accepts: [
      usdc({ scheme: 'upto', amount: '50000', extra: { facilitatorAddress: OPERATOR } }),
      usdc({ amount: '20000' }),
    ],
  },
  { name: 'batch-settlement', source: BATCH, right: ['safe'], accepts: [batch()] },
  {
    name: 'batch-settlement, Permit2',
    source: BATCH,
    right: ['safe'],
    accepts: [batch({ assetTransferMethod: 'permit2' })],
  },
  { name: 'auth-capture, default flow', source: CAPTURE, right: ['safe'], accepts: [capture()] },
  {
    name: 'auth-capture, escrow, custom operator',
    source: CAPTURE,
    right: ['safe'],
    accepts: [
      capture({
        ...{ paymentFlow: 'escrow', operatorType: 'custom', captureMode: 'deferred' },
        authCaptureEscrow: '0x13AC3b34322D12FE27D5e192D0c2b2266d4F29CB',
      }),
    ],
  },
  {
    name: 'auth-capture, charge',
    source: CAPTURE,
    right: ['safe'],
    accepts: [capture({ paymentFlow: 'authorization' })],
  },
  {
    name: 'auth-capture, Permit2',
    source: CAPTURE,
    right: ['safe'],
    accepts: [capture({ assetTransferMethod: 'permit2' })],
  },
  {
    name: 'Circle Gateway alone',
    source: GATEWAY_DOCS,
    right: ['safe'],
    accepts: [usdc({ extra: { name: 'GatewayWalletBatched', version: '1', verifyingContract: GATEWAY } })],
  },
  {
    name: 'Circle Gateway beside exact',
    source: GATEWAY_DOCS,
    right: ['safe'],
    accepts: [
      usdc(),
      usdc({ extra: { name: 'GatewayWalletBatched', version: '1', verifyingContract: GATEWAY } }),
    ],
  },
  {
    name: 'exact EURC',
    source: CIRCLE,
    right: ['safe'],
    accepts: [usdc({ asset: EURC, extra: { name: 'EURC', version: '2' } })],
  },
  {
    name: 'MPP challenge beside x402',
    source: 'The Payment HTTP authentication scheme (draft of the IETF), paymentauth.org',
    right: ['safe'],
    headers: {
      'WWW-Authenticate': 'Payment id="a", realm="api", method="tempo", intent="charge", request="e30"',
    },
    accepts: [usdc()],
  },
  {
    name: 'MPP challenge beside a v1 body',
    source: 'The Payment HTTP authentication scheme (draft of the IETF), paymentauth.org',
    right: ['safe'],
    shape: 'v1',
    headers: {
      'WWW-Authenticate': 'Payment id="a", realm="api", method="stripe", intent="charge", request="e30"',
    },
    accepts: [usdc()],
  },
  {
    name: 'L402 challenge beside x402',
    source: 'L402 protocol specification, lightninglabs/L402',
    right: ['safe'],
    headers: { 'WWW-Authenticate': 'L402 macaroon="AgEEbHNhdA==", invoice="lnbc1"' },
    accepts: [usdc()],
  },
]
