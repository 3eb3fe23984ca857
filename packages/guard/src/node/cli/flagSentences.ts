import type { Flag } from '@touchstone402/shared'

const SENTENCES: Record<Flag, string> = {
  unverifiable: 'Its terms depend on the caller, so they cannot be verified.',
  price_drift: 'Its price has changed.',
  payment_unsupported: 'It takes payments that this service does not verify.',
  unpayable_by_stock: 'Stock clients refuse its offers.',
  price_unknown: 'Its price in dollars is not known.',
  terms_new: 'It added an offer that is not confirmed yet.',
  slow: 'It takes 10 seconds or more to answer.',
  price_high: 'Its price is far above the usual.',
  price_varies: 'Its price varies at random.',
  terms_disagree: 'Its header and body name different terms.',
  terms_unproven: 'It added an offer to another receiver that is not proven.',
  payto_rotates: 'It names another receiver for each request.',
  flaky: 'It is often unreachable.',
  receiver_never_paid: 'Its receiver has never been paid.',
  receiver_differs_from_listing: 'Its receiver differs from its own listing.',
  receiver_accused_elsewhere: 'Its receiver is under an incident of another host.',
  host_accused: 'Its host is under an open incident.',
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
  receiver_flagged: 'Its receiver is under an open incident.',
}

/** Describes a flag of a verdict, with its code. */
export function describeFlag(code: string): string {
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code as Flag] : 'A newer flag of the service.'
  return `${sentence} (${code})`
}
