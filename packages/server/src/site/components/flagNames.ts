import type { Flag } from '@touchstone402/shared'
import { CHANGE_NAMES, INCIDENT_NAMES } from './incidentList.tsx'

/** Display names of flags. What is also an incident or a change has one name everywhere. */
export const FLAG_NAMES: Readonly<Record<Flag, string>> = {
  unverifiable: 'Not fully verifiable',
  price_drift: 'Price differs from a listing',
  payment_unsupported: 'Payment form not supported',
  price_high: 'Price far above comparable ones',
  terms_disagree: 'Terms disagree',
  payto_rotates: 'Receiver rotates',
  flaky: 'Often down',
  receiver_never_paid: 'Receiver never paid',
  resource_mismatch: 'Challenge for another origin',
  network_testnet: 'Test network',
  asset_unknown: 'Unknown asset',
  scheme_unsafe: 'Unsafe scheme',
  payto_changed: CHANGE_NAMES.payto_swap,
  protocols_disagree: 'Protocols disagree',
  price_bait: INCIDENT_NAMES.bait_and_switch,
  cloaked: 'Different terms for different clients',
  no_delivery: INCIDENT_NAMES.honeypot,
  receiver_unverified: INCIDENT_NAMES.unverified_receiver,
  receiver_sanctioned: 'Receiver on a sanctions list',
}
