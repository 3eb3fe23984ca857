import { FLAGS, type Flag } from '@touchstone402/shared'
import { isScanCheck, type ScanCheckId } from '@touchstone402/shared/scan'

/** Headlines of a flag that no check of the terms alone can raise. */
type FlagTexts = Readonly<
  Record<Exclude<Flag, ScanCheckId>, { readonly passed: string; readonly failed: string }>
>

export const FLAG_TEXTS: FlagTexts = {
  receiver_sanctioned: {
    passed: 'The receiver is on no sanctions list that was read',
    failed: 'The receiver is on a sanctions list',
  },
  no_delivery: { passed: 'No test purchase went undelivered', failed: 'Test purchases were not delivered' },
  cloaked: { passed: 'The same terms for every client', failed: 'Different clients get different terms' },
  payto_changed: { passed: 'No unannounced change of the receiver', failed: 'The receiver changed' },
  price_bait: {
    passed: 'No price above the listed one',
    failed: 'It asks for more than its listing says',
  },
  payto_rotates: {
    passed: 'One receiver from call to call',
    failed: 'The receiver differs from call to call',
  },
  price_high: { passed: 'The price is usual', failed: 'The price is far above the usual' },
  receiver_never_paid: {
    passed: 'Nothing speaks against the claimed calls',
    failed: 'The receiver was never paid',
  },
  flaky: { passed: 'No record of frequent failures', failed: 'Calls fail often' },
  price_drift: { passed: 'Listings state the price', failed: 'A listing states another price' },
  unverifiable: {
    passed: 'Answer and receiver can be checked from outside',
    failed: 'Answer or receiver cannot be checked from outside',
  },
}

/** The flags that no check of the terms alone can raise. */
export const FLAGS_WITH_HISTORY = FLAGS.filter(
  (flag): flag is Exclude<Flag, ScanCheckId> => !isScanCheck(flag),
)
