import type { Flag } from '@touchstone402/shared'

const SENTENCES: Record<Flag, string> = {
  unverifiable: 'Its terms depend on the caller, so they cannot be verified.',
  price_drift: 'Its price has changed.',
  payment_unsupported: 'It takes payments that this service does not verify.',
  price_high: 'Its price is far above the usual.',
  terms_disagree: 'Its header and body name different terms.',
  payto_rotates: 'It names another receiver for each request.',
  flaky: 'It is often unreachable.',
  receiver_never_paid: 'Its receiver has never been paid.',
  resource_mismatch: 'Its challenge names the resource of another origin.',
  network_testnet: 'It takes payments on a test network.',
  asset_unknown: 'It asks for a token that is not known.',
  scheme_unsafe: 'It asks for a payment scheme that is not safe.',
  payto_changed: 'Its receiver changed.',
  protocols_disagree: 'It asks for different payments by different protocols.',
  price_bait: 'It asks for more than it advertises.',
  cloaked: 'It shows different terms to different callers.',
  no_delivery: 'It was paid and delivered nothing.',
  receiver_unverified: 'Its receiver could not be verified.',
  receiver_sanctioned: 'Its receiver is on a sanctions list.',
}

/** Describes a flag of a verdict, with its code. */
export function describeFlag(code: string): string {
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code as Flag] : 'A newer flag of the service.'
  return `${sentence} (${code})`
}
