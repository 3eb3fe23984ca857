import type { Context } from '../context.ts'
import type { Metrics } from '../lib/metrics.ts'

/** What payments take of the context of the process, and their time. Each function names the parts that it takes. */
export type PaymentContext = Pick<Context, 'config' | 'log' | 'store'> & {
  readonly metrics: Pick<Metrics, 'paymentFault' | 'sale'>
  /** Returns the Unix time in ms. It is real time, never that of `clock`, which is the audit's. */
  readonly now: () => number
}
