import { type Field, optional } from '../decide/fields.ts'
import { misconfigured } from '../errors.ts'
import { lazy } from '../lazy.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { ANY, checkOptions, having } from './guardOptions.ts'
import type { CallSource, HookedCall, HookedClient } from './hookHandlers.ts'

const CLIENT = having(
  'an x402Client',
  'onBeforePaymentCreation',
  'onAfterPaymentCreation',
  'onPaymentCreationFailure',
  'onPaymentResponse',
)

const CALL_FIELDS = {
  url: { kind: 'text' },
  method: { kind: 'text' },
  body: ANY,
  callKey: optional({ kind: 'text' }),
} satisfies Record<keyof HookedCall, Field>

const NAMES_NO_METHOD =
  'source: an x402HTTPClient names neither method nor body of a call; put guard.fetch below it, wrapFetchWithPayment(guard.fetch(fetch), client), and leave source out'

const checkCall = (call: HookedCall) => checkOptions(CALL_FIELDS, call)

/**
 * Adds the guard to an `x402Client`. Register it last.
 *
 * Judges the entry that the client has chosen, or reuses the approval of another integration for the same terms, so that
 * `ask` runs once. Freezes the entry, since later hooks could change it, and checks the payload before the client
 * returns it.
 * @throws ConfigurationError
 */
export function guardClient<Client extends HookedClient>(
  context: GuardContext,
  client: Client,
  source?: CallSource,
): Client {
  checkOptions({ client: CLIENT }, { client })
  if (typeof source === 'object' && source !== null && 'onPaymentRequired' in source) {
    throw misconfigured(NAMES_NO_METHOD)
  }
  if (source !== undefined && typeof source !== 'function') checkCall(source)
  // Loaded with the first payment, since most guards have no hooks.
  const load = lazy(async () =>
    (await import('./hookHandlers.ts')).createHandlers(context, source, checkCall),
  )
  client.onBeforePaymentCreation(async (creation) => (await load()).before(creation))
  client.onAfterPaymentCreation(async (creation) => (await load()).after(creation))
  client.onPaymentCreationFailure(async (creation) => (await load()).failed(creation))
  client.onPaymentResponse(async (answer) => (await load()).answered(answer))
  return client
}
