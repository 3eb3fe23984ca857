import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import { recordId } from '../facts/ids.ts'
import { HOUR, MINUTE, toTimestamp } from '../facts/times.ts'
import { readNotices } from './readNotices.ts'
import { type Sender, type Sent, sendMessage } from './sendMessage.ts'
import { WEBHOOK_KIND, type Webhook, type WebhookState } from './webhook.ts'

/** Context of all deliveries of a process. */
export type Turns = Pick<Context, 'store' | 'clock' | 'log' | 'metrics'> & {
  readonly sender: Sender
  readonly stateOf: (id: string) => WebhookState
  /** Resolves once it is durable. */
  readonly putState: (webhook: Webhook, state: WebhookState) => Promise<void>
  /** Ids of webhooks whose feeds may have changed since they were read. */
  readonly stale: Set<string>
}

/** Pauses after the failed attempts of a message, which is dropped after the last: six attempts in 24 hours. */
const PAUSES_MS = [MINUTE, 10 * MINUTE, HOUR, 5 * HOUR, 18 * HOUR]
const CHALLENGE_BYTES = 24
/** Messages to one webhook before others get their turn. */
const MAX_IN_TURN = 20

/**
 * Takes one turn of a webhook: the challenge if it is open, then notices in their order until one fails or there are no
 * more. Rejects if the signal fires or the store fails, and nothing is counted then.
 */
export async function takeTurn(turns: Turns, webhook: Webhook, signal: AbortSignal): Promise<void> {
  const { stateOf } = turns
  if (!stateOf(webhook.id).isConfirmed && !(await challenge(turns, webhook, signal))) return
  for (let sent = 0; sent < MAX_IN_TURN; sent++) {
    if (stateOf(webhook.id).queue.length === 0 && !(await fill(turns, webhook))) return
    if (!(await deliver(turns, webhook, signal))) return
  }
}

/** Queues new events. Returns false if there are none. */
async function fill({ store, clock, log, stateOf, putState, stale }: Turns, webhook: Webhook) {
  if (!stale.delete(webhook.id)) return false
  const state = stateOf(webhook.id)
  try {
    const read = await readNotices(store, webhook, state.position, clock.now())
    const { notices: queue, position } = read
    if (read.hasMore) stale.add(webhook.id)
    if (read.missed > 0) tell(log, `${name(webhook)}: ${read.missed} events were too many to be sent`)
    // Written before it is sent: a crash repeats deliveries and loses none.
    if (state.position === null || queue.length > 0) await putState(webhook, { ...state, position, queue })
    return queue.length > 0
  } catch (error) {
    stale.add(webhook.id)
    throw error
  }
}

/** Asks the URL to repeat a challenge. Returns whether it did. */
async function challenge(turns: Turns, webhook: Webhook, signal: AbortSignal): Promise<boolean> {
  const text = randomBytes(CHALLENGE_BYTES).toString('base64url')
  const id = recordId('msg', webhook.id, 'webhook.challenge')
  const body = { type: 'webhook.challenge', timestamp: toTimestamp(turns.clock.now()), challenge: text }
  const sent = await sendMessage(turns.sender, webhook, { id, body }, signal)
  if (!sent.ok) return noteFailure(turns, webhook, sent)
  if (!sent.body.includes(text)) {
    return noteFailure(turns, webhook, { reason: 'the answer does not hold the challenge', isGone: false })
  }
  turns.metrics.webhookAttempt({ outcome: 'delivered' })
  await turns.putState(webhook, { ...turns.stateOf(webhook.id), isConfirmed: true, failures: 0 })
  return true
}

/** Sends the first notice of the queue. Returns whether the next one may follow. */
async function deliver(turns: Turns, webhook: Webhook, signal: AbortSignal): Promise<boolean> {
  const [notice, ...queue] = turns.stateOf(webhook.id).queue
  if (notice === undefined) return false
  const sent = await sendMessage(turns.sender, webhook, { id: notice.id, body: notice.event }, signal)
  if (!sent.ok) return noteFailure(turns, webhook, sent)
  turns.metrics.webhookAttempt({ outcome: 'delivered' })
  await turns.putState(webhook, { ...turns.stateOf(webhook.id), queue, failures: 0 })
  return true
}

/** Schedules the next attempt. After the last, an event is dropped, and a webhook without a confirmed URL removed. */
async function noteFailure(
  { clock, store, log, metrics, stateOf, putState }: Turns,
  webhook: Webhook,
  { reason, isGone }: Omit<Extract<Sent, { ok: false }>, 'ok'>,
): Promise<false> {
  const state = stateOf(webhook.id)
  const pause = PAUSES_MS[state.failures]
  metrics.webhookAttempt({ outcome: pause === undefined ? 'dropped' : 'failed' })
  if (isGone || (pause === undefined && !state.isConfirmed)) {
    tell(
      log,
      `${name(webhook)} is removed: its URL ${state.isConfirmed ? '' : 'failed the challenge, '}${reason}`,
    )
    await store.write('removeDocument', WEBHOOK_KIND, webhook.id)
  } else if (pause === undefined) {
    const [dropped, ...queue] = state.queue
    tell(log, `${name(webhook)}: event ${dropped?.id} is dropped, the last attempt ended with ${reason}`)
    await putState(webhook, { ...state, queue, failures: 0 })
  } else await putState(webhook, { ...state, failures: state.failures + 1, nextAt: clock.now() + pause })
  return false
}

/** Logs a line for the operator, without URLs: those may hold credentials. */
const tell = (log: Context['log'], line: string) => log('info', line, { event: 'webhook' })

const name = ({ id, host }: Webhook) => `webhook ${id} of ${host}`
