import { CIRCLE, DOMAIN, type Entry, type FormRow, PAY_TO, usdc as plain, spec } from './rows.ts'

const OPERATOR = '0x857b06519E91e3A54538791bDbb0E22373e36b66'
const EURC = '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42'
const GATEWAY = '0x77777777Dcc4d5A8B6E418Fd04D8997ef11000eE'

const [EXACT, UPTO] = [spec('exact', 'evm'), spec('upto', 'evm')]
const [BATCH, CAPTURE] = [spec('batch-settlement', 'evm'), spec('auth-capture', 'evm')]
const GATEWAY_DOCS = 'developers.circle.com/gateway/nanopayments'
const PAYMENT_SCHEME = 'The Payment HTTP authentication scheme (draft of the IETF), paymentauth.org'

const usdc = (change: Entry = {}): Entry => ({ ...plain(), ...change })
/** An entry whose `extra` is the domain and more. */
const withExtra = (extra: Entry): Entry => usdc({ extra: { ...DOMAIN, ...extra } })
const gateway = usdc({ extra: { name: 'GatewayWalletBatched', version: '1', verifyingContract: GATEWAY } })
const asksFor = (challenge: string) => ({ 'WWW-Authenticate': challenge })
const payment = (method: string) =>
  asksFor(`Payment id="a", realm="api", method="${method}", intent="charge", request="e30"`)

const permit2 = (change: Entry = {}) => usdc({ extra: { assetTransferMethod: 'permit2' }, ...change })

const batch = (extra: Entry = {}) =>
  usdc({
    scheme: 'batch-settlement',
    maxTimeoutSeconds: 3600,
    extra: { receiverAuthorizer: OPERATOR, withdrawDelay: 900, ...DOMAIN, ...extra },
  })

const capture = (extra: Entry = {}) =>
  usdc({
    scheme: 'auth-capture',
    extra: {
      ...DOMAIN,
      captureAuthorizer: OPERATOR,
      receiverAuthorizer: PAY_TO,
      captureDeadline: 1_893_456_000,
      refundDeadline: 1_896_048_000,
      feeRecipient: PAY_TO,
      minFeeBps: 0,
      maxFeeBps: 100,
      ...extra,
    },
  })

/** Schemes, transfer methods and flows on Base. */
export const schemeForms: readonly FormRow[] = [
  { name: 'exact, EIP-3009, default method', source: EXACT, accepts: [usdc()] },
  { name: 'exact, EIP-3009, in a v1 body', source: EXACT, shape: 'v1', accepts: [usdc()] },
  { name: 'exact, EIP-3009, in both', source: EXACT, shape: 'both', accepts: [usdc()] },
  {
    name: 'exact, EIP-3009, stated method and flow',
    source: EXACT,
    accepts: [withExtra({ assetTransferMethod: 'eip3009', paymentFlow: 'authorization' })],
  },
  { name: 'exact, no extra', source: EXACT, accepts: [usdc({ extra: undefined })] },
  { name: 'exact, Permit2', source: EXACT, accepts: [permit2()] },
  { name: 'exact, Permit2 beside EIP-3009', source: EXACT, accepts: [usdc(), permit2()] },
  {
    name: 'exact, ERC-7710',
    source: EXACT,
    accepts: [usdc({ extra: { assetTransferMethod: 'erc7710' } })],
  },
  {
    name: 'exact, upfront',
    source: 'specs/schemes/exact/scheme_exact.md',
    accepts: [withExtra({ paymentFlow: 'upfront' })],
  },
  {
    name: 'upto',
    source: UPTO,
    accepts: [{ ...withExtra({ facilitatorAddress: OPERATOR }), scheme: 'upto' }],
  },
  {
    name: 'upto beside exact',
    source: UPTO,
    accepts: [
      usdc({ scheme: 'upto', amount: '50000', extra: { facilitatorAddress: OPERATOR } }),
      usdc({ amount: '20000' }),
    ],
  },
  { name: 'batch-settlement', source: BATCH, accepts: [batch()] },
  {
    name: 'batch-settlement, Permit2',
    source: BATCH,
    accepts: [batch({ assetTransferMethod: 'permit2' })],
  },
  { name: 'auth-capture, default flow', source: CAPTURE, accepts: [capture()] },
  {
    name: 'auth-capture, escrow, custom operator',
    source: CAPTURE,
    accepts: [
      capture({
        paymentFlow: 'escrow',
        operatorType: 'custom',
        captureMode: 'deferred',
        authCaptureEscrow: '0x13AC3b34322D12FE27D5e192D0c2b2266d4F29CB',
      }),
    ],
  },
  {
    name: 'auth-capture, charge',
    source: CAPTURE,
    accepts: [capture({ paymentFlow: 'authorization' })],
  },
  {
    name: 'auth-capture, Permit2',
    source: CAPTURE,
    accepts: [capture({ assetTransferMethod: 'permit2' })],
  },
  {
    name: 'Circle Gateway alone',
    source: GATEWAY_DOCS,
    accepts: [gateway],
  },
  {
    name: 'Circle Gateway beside exact',
    source: GATEWAY_DOCS,
    accepts: [usdc(), gateway],
  },
  {
    name: 'exact EURC',
    source: CIRCLE,
    accepts: [usdc({ asset: EURC, extra: { name: 'EURC', version: '2' } })],
  },
  {
    name: 'MPP challenge beside x402',
    source: PAYMENT_SCHEME,
    headers: payment('tempo'),
    accepts: [usdc()],
  },
  {
    name: 'MPP challenge beside a v1 body',
    source: PAYMENT_SCHEME,
    shape: 'v1',
    headers: payment('stripe'),
    accepts: [usdc()],
  },
  {
    name: 'L402 challenge beside x402',
    source: 'L402 protocol specification, lightninglabs/L402',
    headers: asksFor('L402 macaroon="AgEEbHNhdA==", invoice="lnbc1"'),
    accepts: [usdc()],
  },
]
