import { sameAddress } from './networks.ts'
import { GATEWAY_NAME } from './payable.ts'
import type { Offer } from './x402.ts'

/** Contracts of Circle Gateway. Source: @circle-fin/bridge-kit 1.15.1, chain definitions; 2026-11-22. */
const GATEWAY_WALLETS = [
  '0x77777777Dcc4d5A8B6E418Fd04D8997ef11000eE',
  '0x0077777d7EBA4688BDeF3E311b846F25870A19B9',
]

/** Escrow contracts of `auth-capture`. Source: specs/schemes/auth-capture/scheme_auth_capture_evm.md. */
const AUTH_CAPTURE_ESCROWS = [
  '0x13AC3b34322D12FE27D5e192D0c2b2266d4F29CB',
  '0xBdEA0D1bcC5966192B070Fdf62aB4EF5b4420cff',
]

/** Seconds for which the deposit of a channel may be locked. Source: scheme_batch_settlement_evm.md. */
const WITHDRAW_DELAY_SECONDS = { min: 900, max: 2_592_000 }

type Form = { methods: readonly string[]; flows: readonly string[] }

const AUTHORIZATION = ['authorization']
const EITHER = ['authorization', 'upfront']
const BY_TRANSFER = ['eip3009', 'permit2']

/** Transfer methods and payment flows of each scheme on EVM networks. Source: specs/schemes, 2026-11-22. */
const EVM_FORMS = new Map<string, Form>([
  ['exact', { methods: [...BY_TRANSFER, 'erc7710'], flows: EITHER }],
  ['upto', { methods: ['permit2'], flows: AUTHORIZATION }],
  ['batch-settlement', { methods: BY_TRANSFER, flows: AUTHORIZATION }],
  ['auth-capture', { methods: BY_TRANSFER, flows: ['authorization', 'escrow'] }],
])

/** Names of the methods of Permit2 at the facilitator of BNB Chain, by scheme. Source: developers.binance.com, onchainpay-x402, open-apis-v2; 2026-11-26. */
const BNB_METHODS: Readonly<Record<string, string>> = { exact: 'permit2-exact', upto: 'permit2-upto' }
const BNB_NETWORKS = new Set(['eip155:56', 'eip155:97'])

/** The same on other networks. Source: specs/schemes/<scheme>/scheme_<scheme>_<network>.md, 2026-11-22. */
const OTHER_FORMS = new Map<string, Form>([
  ['exact', { methods: [], flows: EITHER }],
  ['upto', { methods: [], flows: ['authorization', 'escrow'] }],
  ['batch-settlement', { methods: [], flows: AUTHORIZATION }],
])

/** Transfer methods by namespace of CAIP-2. */
const OTHER_METHODS = new Map<string, readonly string[]>([
  ['sui', ['gasless', 'coin']],
  ['hedera', ['cryptoTransfer', 'transferExecutor']],
  ['xrpl', ['sequence', 'ticketSequence']],
  ['cardano', ['default', 'masumi', 'script']],
  ['cip34', ['default', 'masumi', 'script']],
  ['canton', ['transfer-factory']],
  ['lnbtc', ['bolt11']],
])

/**
 * Returns a word for what an offer asks outside every published scheme, or for the field of its `extra` that contradicts
 * its scheme; null if a specification names the form.
 */
export function findUnpublished(offer: Pick<Offer, 'network' | 'scheme' | 'asset' | 'extra'>): string | null {
  const { network, scheme, extra } = offer
  const isEvm = network.startsWith('eip155:')
  const form = (isEvm ? EVM_FORMS : OTHER_FORMS).get(scheme)
  if (form === undefined) return scheme
  const namespace = network.slice(0, network.indexOf(':'))
  const methods = isEvm ? form.methods : (OTHER_METHODS.get(namespace) ?? form.methods)
  const { assetTransferMethod: method, paymentFlow: flow } = extra
  const isBnb = BNB_NETWORKS.has(network) && method === BNB_METHODS[scheme]
  if (isStated(method) && !isBnb && !includes(methods, method)) return readWord(method)
  if (isStated(flow) && !includes(form.flows, flow)) return readWord(flow)
  return isEvm ? findContradiction(offer) : null
}

function findContradiction({
  scheme,
  asset,
  extra,
}: Pick<Offer, 'scheme' | 'asset' | 'extra'>): string | null {
  const { name, verifyingContract: contract, authCaptureEscrow: escrow, withdrawDelay: delay } = extra
  // Any signature for this domain is an allowance.
  if (name === 'Permit2') return 'Permit2'
  if (name === GATEWAY_NAME) return isOneOf(GATEWAY_WALLETS, contract) ? null : 'verifyingContract'
  if (isStated(contract) && !isOneOf([asset], contract)) return 'verifyingContract'
  if (scheme === 'auth-capture' && isStated(escrow) && !isOneOf(AUTH_CAPTURE_ESCROWS, escrow)) {
    return 'authCaptureEscrow'
  }
  const { min, max } = WITHDRAW_DELAY_SECONDS
  const isDelay = typeof delay === 'number' && delay >= min && delay <= max
  return scheme === 'batch-settlement' && !isDelay ? 'withdrawDelay' : null
}

/** Serializers that write every field use null for an absent one. */
const isStated = (value: unknown) => value !== undefined && value !== null

const includes = (list: readonly string[], value: unknown) => list.some((item) => item === value)

const isOneOf = (addresses: readonly string[], value: unknown) =>
  typeof value === 'string' && addresses.some((address) => sameAddress(address, value))

function readWord(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,32}$/.test(value) ? value : 'unreadable'
}
