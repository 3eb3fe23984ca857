import { recordId } from '../domain/facts/ids.ts'
import { HOUR, MINUTE, toTimestamp } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { ExpiringStore } from '../ports/expiring.ts'
import type { Send, Sent } from './createSender.ts'
import type { StaleHosts } from './createStaleHosts.ts'
import type { States } from './createStates.ts'
import { type EventFeeds, readNotices } from './readNotices.ts'
import { WEBHOOK_KIND, type Webhook } from './webhook.ts'

/** How an attempt ended; a dropped message is not tried again. */
export type DeliveryOutcome = 'delivered' | 'failed' | 'dropped'

/** What a turn needs. */
export type TurnDeps = {
  readonly documents: ExpiringStore
  readonly store: EventFeeds
  readonly clock: Pick<Clock, 'now'>
  readonly send: Send
  /** Returns a text that nobody can guess. */
  readonly newChallenge: () => string
  readonly onOutcome: (outcome: DeliveryOutcome) => void
  /** Receives lines for the operator, without URLs: those may hold credentials. */
  readonly onLine: (line: string) => void
  readonly states: Pick<States, 'of' | 'put'>
  readonly stale: Pick<StaleHosts, 'add' | 'take'>
}

/** Pauses after the failed attempts of a message, which is dropped after the last: six attempts in 24 hours. */
const PAUSES_MS = [MINUTE, 10 * MINUTE, HOUR, 5 * HOUR, 18 * HOUR]
/** Messages to one webhook before others get their turn. */
const MAX_IN_TURN = 20

/**
 * Takes one turn of a webhook: the challenge if it is open, then notices in their order until one fails or there are no
 * more. Rejects if the signal fires or the store fails, and nothing is counted then.
 */
export async function takeTurn(deps: TurnDeps, webhook: Webhook, signal: AbortSignal): Promise<void> {
  const { states } = deps
  if (!states.of(webhook.id).isConfirmed && !(await challenge(deps, webhook, signal))) return
  for (let sent = 0; sent < MAX_IN_TURN; sent++) {
    if (states.of(webhook.id).queue.length === 0 && !(await fill(deps, webhook))) return
    if (!(await deliver(deps, webhook, signal))) return
  }
}

/** Queues new events. Returns false if there are none. */
async function fill({ store, clock, states, stale, onLine }: TurnDeps, webhook: Webhook): Promise<boolean> {
  if (!stale.take(webhook.id)) return false
  const state = states.of(webhook.id)
  try {
    const read = await readNotices(store, webhook, state.position, clock.now())
    if (read.hasMore) stale.add(webhook.id)
    if (read.missed > 0) onLine(`${name(webhook)}: ${read.missed} events were too many to be sent`)
    // Written before it is sent: a crash repeats deliveries and loses none.
    const queue = read.notices
    if (state.position === null || read.notices.length > 0)
      await states.put(webhook, { ...state, position: read.position, queue })
    return queue.length > 0
  } catch (error) {
    stale.add(webhook.id)
    throw error
  }
}

/** Asks the URL to repeat a challenge. Returns whether it did. */
async function challenge(
  { send, newChallenge, documents, clock, states, onLine, onOutcome }: TurnDeps,
  webhook: Webhook,
  signal: AbortSignal,
): Promise<boolean> {
  const text = newChallenge()
  const id = recordId('msg', webhook.id, 'webhook.challenge')
  const body = { type: 'webhook.challenge', timestamp: toTimestamp(clock.now()), challenge: text }
  const sent = await send(webhook, { id, body }, signal)
  const state = states.of(webhook.id)
  if (sent.ok && sent.body.includes(text)) {
    onOutcome('delivered')
    await states.put(webhook, { ...state, isConfirmed: true, failures: 0 })
    return true
  }
  const reason = sent.ok ? 'the answer does not hold the challenge' : sent.reason
  const nextAt = nextAttempt(state.failures, clock.now())
  onOutcome(nextAt === null ? 'dropped' : 'failed')
  if (nextAt === null || isGone(sent)) {
    onLine(`${name(webhook)} is removed, since its URL failed the challenge: ${reason}`)
    await documents.remove(WEBHOOK_KIND, webhook.id)
  } else await states.put(webhook, { ...state, failures: state.failures + 1, nextAt })
  return false
}

/** Sends the first notice of the queue. Returns whether the next one may follow. */
async function deliver(
  { send, documents, clock, states, onLine, onOutcome }: TurnDeps,
  webhook: Webhook,
  signal: AbortSignal,
): Promise<boolean> {
  const [notice, ...queue] = states.of(webhook.id).queue
  if (notice === undefined) return false
  const sent = await send(webhook, { id: notice.id, body: notice.event }, signal)
  const state = states.of(webhook.id)
  if (sent.ok) {
    onOutcome('delivered')
    await states.put(webhook, { ...state, queue, failures: 0 })
    return true
  }
  const nextAt = nextAttempt(state.failures, clock.now())
  onOutcome(nextAt === null ? 'dropped' : 'failed')
  if (isGone(sent)) {
    onLine(`${name(webhook)} is removed, since its URL answers ${sent.reason}`)
    await documents.remove(WEBHOOK_KIND, webhook.id)
  } else if (nextAt === null) {
    onLine(`${name(webhook)}: event ${notice.id} is dropped, the last attempt ended with ${sent.reason}`)
    await states.put(webhook, { ...state, queue, failures: 0 })
  } else await states.put(webhook, { ...state, failures: state.failures + 1, nextAt })
  return false
}

/** Returns the time of the next attempt; null if there is none. */
function nextAttempt(failuresBefore: number, now: number): number | null {
  const pause = PAUSES_MS[failuresBefore]
  return pause === undefined ? null : now + pause
}

const isGone = (sent: Sent) => !sent.ok && sent.isGone
const name = ({ id, host }: Webhook) => `webhook ${id} of ${host}`
