import type { Field } from '../decide/fields.ts'
import { ConfigurationError } from '../errors.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { ANY, checkOptions, having, optional } from './checkOptions.ts'
import type { Handlers } from './hookHandlers.ts'

type Creation = { paymentRequired: unknown; selectedRequirements: unknown }

/** The hooks of `x402Client` from `@x402/core` that the guard uses. */
export type HookedClient = {
  onBeforePaymentCreation(hook: (context: Creation) => Promise<void>): unknown
  onAfterPaymentCreation(hook: (context: Creation & { paymentPayload: unknown }) => Promise<void>): unknown
  onPaymentCreationFailure(
    hook: (context: Creation) => Promise<{ recovered: true; payload: never } | undefined>,
  ): unknown
  onPaymentResponse(
    hook: (context: { paymentPayload: unknown; settleResponse?: unknown }) => Promise<void>,
  ): unknown
}

/**
 * The call that a hooked client pays for. Its transport must send the payment to this URL and no other.
 * @example
 * guard.hooks(client, { url: 'https://api.example.com/mcp', method: 'POST' })
 */
export type HookedCall = {
  url: string
  /** Decides which measured terms hold. */
  method: string
  /** The body of the request, which distinguishes calls to one URL. */
  body?: BodyInit | null
  /** Distinguishes intended duplicates of a call. @default '' */
  callKey?: string
}

/** The call, or a function that returns the call which was answered with a challenge. */
export type CallSource = HookedCall | ((paymentRequired: unknown) => HookedCall | undefined)

const CLIENT = having(
  'an x402Client',
  'onBeforePaymentCreation',
  'onAfterPaymentCreation',
  'onPaymentCreationFailure',
  'onPaymentResponse',
)

/** The fields of {@link HookedCall}. */
export const CALL_FIELDS = {
  url: { kind: 'text' },
  method: { kind: 'text' },
  body: ANY,
  callKey: optional({ kind: 'text' }),
} satisfies Record<keyof HookedCall, Field>

const NAMES_NO_METHOD =
  'source: an x402HTTPClient names neither method nor body of a call; put guard.fetch below it, wrapFetchWithPayment(guard.fetch(fetch), client), and leave source out'

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
    throw new ConfigurationError('CONFIGURATION', { details: NAMES_NO_METHOD })
  }
  if (source !== undefined && typeof source !== 'function') checkOptions(CALL_FIELDS, source)
  // Loaded with the first payment, since most guards have no hooks.
  let loading: Promise<Handlers> | undefined
  const load = () => {
    loading ??= import('./hookHandlers.ts').then(({ createHandlers }) => createHandlers(context, source))
    return loading
  }
  client.onBeforePaymentCreation(async (creation) => (await load()).before(creation))
  client.onAfterPaymentCreation(async (creation) => (await load()).after(creation))
  client.onPaymentCreationFailure(async (creation) => (await load()).failed(creation))
  client.onPaymentResponse(async (answer) => (await load()).answered(answer))
  return client
}
