import type { Context } from '../context.ts'
import type { Metrics } from '../lib/metrics.ts'

/** Context of payments, whose time is real. Each function names its parts. */
export type PaymentContext = Pick<Context, 'config' | 'log' | 'store'> & {
  readonly metrics: Pick<Metrics, 'paymentFault' | 'sale'>
  /** Returns the Unix time in ms. It is real time, never that of `clock`, which is the audit's. */
  readonly now: () => number
}
