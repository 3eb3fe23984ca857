/** How much a failed check matters: `critical` keeps agents from paying or loses money. */
export type ScanSeverity = 'critical' | 'warn' | 'info'

/** A check of an endpoint's terms that needs no chain and no history. */
export type ScanCheckText = {
  readonly severity: ScanSeverity
  /** Headline where it passed. */
  readonly passed: string
  /** Headline where it failed. */
  readonly failed: string
  /** What to change, for any stack. */
  readonly fix: string
}

const CHECKS = {
  insecure_http: {
    severity: 'critical',
    passed: 'Served over https, or from this machine',
    failed: 'The endpoint is served over plain http',
    fix: 'Serve the endpoint over https: on plain http anybody on the way can replace the receiver.',
  },
  no_challenge: {
    severity: 'critical',
    passed: 'An unpaid call is answered with a readable challenge',
    failed: 'No readable challenge',
    fix: 'Answer calls without a payment with status 402 and at least one complete entry in `accepts`.',
  },
  network_unknown: {
    severity: 'critical',
    passed: 'The network is known',
    failed: 'No offer is on a known network',
    fix: 'Name the network by its CAIP-2 id (x402 v2) or its name in the x402 v1 specification.',
  },
  network_testnet: {
    severity: 'critical',
    passed: 'Payments settle on a main network',
    failed: 'Payments settle on a test network',
    fix: 'Offer payment on a main network, such as Base (eip155:8453).',
  },
  asset_unknown: {
    severity: 'critical',
    passed: 'The token is an official one of its network',
    failed: 'The token is not a known one of its network',
    fix: 'Ask for the canonical USDC of the network, by its contract address.',
  },
  scheme_unsafe: {
    severity: 'critical',
    passed: 'The form of payment is a published one',
    failed: 'The form of payment is in no published specification',
    fix: 'Use the exact scheme with EIP-3009, whose signature allows one transfer and nothing else.',
  },
  receiver_unverified: {
    severity: 'critical',
    passed: 'The receiver is a valid address',
    failed: 'The receiver cannot be paid',
    fix: 'Set payTo to an address whose key you hold: not the token, not zero, not a burn address.',
  },
  protocols_disagree: {
    severity: 'critical',
    passed: 'All protocols of the challenge ask for the same payment',
    failed: 'Two protocols of the challenge ask for different payments',
    fix: 'Name one price, and one receiver per network and token, in every protocol of the 402.',
  },
  domain_mismatch: {
    severity: 'critical',
    passed: "`extra` names the token's signing domain",
    failed: "`extra` does not name the token's signing domain",
    fix: "Send the token's EIP-712 name and version in `extra`; for USDC on Base `USD Coin` and `2`. Clients refuse to sign, or the transfer fails, without them.",
  },
  amount_strange: {
    severity: 'warn',
    passed: 'The amount is plausible',
    failed: 'The amount is not plausible for one call',
    fix: 'Check the decimals: USDC has six, so $0.01 is "10000".',
  },
  offer_malformed: {
    severity: 'warn',
    passed: 'Every entry of the challenge is well-formed',
    failed: 'A part of the challenge is malformed',
    fix: 'Send every required field of an offer with its right type: scheme, network, asset, payTo, the amount as a decimal string, maxTimeoutSeconds as a positive integer.',
  },
  challenge_misplaced: {
    severity: 'warn',
    passed: 'The challenge is where stock clients look',
    failed: 'The challenge is where stock clients do not look',
    fix: 'Send a v2 challenge in the PAYMENT-REQUIRED header (base64 JSON), and a v1 challenge in the body.',
  },
  terms_disagree: {
    severity: 'warn',
    passed: 'All parts of the challenge name the same terms',
    failed: 'Parts of the challenge name different terms',
    fix: 'Build the v1 body and the v2 header from the same data, with one receiver per network, asset and scheme.',
  },
  resource_mismatch: {
    severity: 'warn',
    passed: 'The resource is the URL that was asked',
    failed: 'The resource names another host than the one that was asked',
    fix: 'Name the public URL as `resource`. Behind a proxy, trust its forwarded headers or set the URL yourself.',
  },
  timeout_strange: {
    severity: 'warn',
    passed: 'The authorization lives for a sensible time',
    failed: 'The authorization lives for too long or too short a time',
    fix: 'Set maxTimeoutSeconds to 60: long enough to settle, short enough that a leaked signature is soon worthless.',
  },
  input_before_payment: {
    severity: 'warn',
    passed: 'Payment is asked for before input is checked',
    failed: 'A call without input is refused before it is asked to pay',
    fix: 'Ask for payment before validating input: directories call without any, and list the endpoint as broken otherwise.',
  },
  challenge_cached: {
    severity: 'warn',
    passed: 'The challenge is kept out of caches',
    failed: 'Caches may keep the challenge',
    fix: 'Send `Cache-Control: no-store` with every 402, or some clients get the terms of yesterday.',
  },
  head_too_large: {
    severity: 'warn',
    passed: 'The response head fits a stock proxy',
    failed: 'The response head does not fit a stock proxy',
    fix: 'Leave long schemas out of the discovery extension and serve them from your OpenAPI document.',
  },
  payment_unsupported: {
    severity: 'info',
    passed: 'Stock clients can pay it',
    failed: 'Common clients cannot pay it',
    fix: 'Offer an exact payment in the canonical USDC of a main EVM network as well.',
  },
  input_undeclared: {
    severity: 'info',
    passed: 'The input is declared',
    failed: 'The input is not declared',
    fix: 'Declare the input with an example that works, so that agents know what to send.',
  },
  output_undeclared: {
    severity: 'info',
    passed: 'The output is declared',
    failed: 'The output is not declared',
    fix: 'Declare the output with an example, so that agents know what they buy.',
  },
} as const satisfies Record<string, ScanCheckText>

/** Id of a check. Those that the service raises as a flag too have the name of the flag. */
export type ScanCheckId = keyof typeof CHECKS

/** All checks, the most serious first. */
export const SCAN_CHECKS: Readonly<Record<ScanCheckId, ScanCheckText>> = CHECKS

/** Ids of all checks, the most serious first. */
export const SCAN_CHECK_IDS = Object.keys(CHECKS) as readonly ScanCheckId[]

/** Whether a text is the id of a check. */
export function isScanCheck(id: string): id is ScanCheckId {
  return Object.hasOwn(CHECKS, id)
}

/** Result of one check. Holds no free text of the seller. */
export type ScanResult = {
  readonly id: ScanCheckId
  /** `unknown` where nothing could be checked. */
  readonly outcome: 'pass' | 'fail' | 'unknown'
  readonly severity: ScanSeverity
  /** The headline of the outcome. */
  readonly title: string
  /** What was measured, in one sentence; empty if the headline says it. */
  readonly detail: string
}
