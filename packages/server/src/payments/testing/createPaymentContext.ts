import type { Config } from '../../config/config.ts'
import { aConfig } from '../../config/testing.ts'
import type { EventFields } from '../../lib/logging.ts'
import type { Store } from '../../store/store.ts'
import type { Confirmation } from '../createConfirmation.ts'
import type { PaymentContext } from '../paymentContext.ts'

/**
 * Returns a context of payments, and what was logged and counted with it.
 * @param settings that differ from those of a sound service
 * @param now Unix time in ms. @default the machine's
 */
export function createPaymentContext(
  store: Store,
  settings: Partial<Config> = {},
  now: () => number = Date.now,
) {
  const events: EventFields[] = []
  const sales: string[] = []
  const faults: string[] = []
  const ctx: PaymentContext = {
    config: aConfig(settings),
    log: (_level, _message, fields) => void events.push(fields),
    metrics: {
      sale: ({ outcome }) => void sales.push(outcome),
      paymentFault: ({ step }) => void faults.push(step),
    },
    now,
    store,
  }
  return { ctx, events, sales, faults }
}

/** Returns the nonces of payments that settled without an answer, as they were logged. */
export const owedNonces = (events: readonly EventFields[]): string[] =>
  events
    .filter(({ event }) => event === 'payment_owed')
    .map(({ receipt }) => String(receipt).split('/').at(-1) ?? '')

/** Returns what was logged against the facilitator. */
export const loggedDoubts = (events: readonly EventFields[]) =>
  events
    .filter(({ event }) => event === 'facilitator_distrusted')
    .map(({ missing, overdue }) => ({ missing, overdue }))

/** Confirms nothing: no answer waits for the chain, and the chain shows no payment. */
export const BLIND_CONFIRMATION: Confirmation = {
  isDue: () => false,
  reach: async () => {},
  isShown: async () => true,
  search: async () => 'unread',
  peek: async () => undefined,
}
