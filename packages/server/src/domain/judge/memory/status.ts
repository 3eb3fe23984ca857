import type { Status } from '@touchstone402/shared'
import { type Cause, INVALID_CAUSES, type Observation, type Time } from '../../facts/facts.ts'
import { LIMITS } from '../spec.ts'

/** A confirmed change of status. */
export type StatusTurn = {
  readonly kind: 'gone_dark' | 'recovered'
  readonly at: Time
  readonly before: Status
  readonly after: Status
}

/** Consecutive `down` probes. */
type Downs = {
  readonly count: number
  /** Time of the first. */
  readonly from: Time
  /** Client identities, at most two. */
  readonly clients: readonly string[]
  /** Causes of the last three. */
  readonly causes: readonly Cause[]
}

/** Memory from which the status is derived. */
export type StatusMemory = {
  readonly status: Status
  readonly wasLive: boolean
  readonly downs: Downs | null
  /** Number of consecutive `up` probes at the end, at most two. */
  readonly ups: number
  readonly confirmedAt: Time | null
  readonly darkSince: Time | null
  /** The newest turns, oldest first. */
  readonly turns: readonly StatusTurn[]
}

/** Maximum number of turns that are kept. Older ones are published, since each took half an hour. */
const MAX_TURNS = 24

export const NO_STATUS: StatusMemory = {
  status: 'unmeasured',
  wasLive: false,
  downs: null,
  ups: 0,
  confirmedAt: null,
  darkSince: null,
  turns: [],
}

/** The status of an endpoint, derived from its probes. */
export type StatusTrack = {
  readonly status: Status
  /** Whether the last probes contradict the status and are not confirmed yet. */
  readonly degraded: boolean
  /** Time of the first failed probe of the outage, while dark or invalid. */
  readonly darkSince: Time | null
  readonly turns: readonly StatusTurn[]
  /** Number of consecutive `down` probes at the end. */
  readonly downs: number
  /** Time of the last probe that confirms the status. An unconfirmed `down` does not extend a live status. */
  readonly confirmedAt: Time | null
}

/**
 * Adds a probe. `dark` and `invalid` take 3 consecutive downs over at least 30 minutes, recovery takes 2 consecutive
 * ups. `not_measured` changes nothing.
 */
export function addStatus(before: StatusMemory, probe: Observation): StatusMemory {
  if (probe.outcome === 'not_measured') return before
  return probe.outcome === 'up' ? addUp(before, probe.at) : addDown(before, probe)
}

function addUp(before: StatusMemory, at: Time): StatusMemory {
  const ups = Math.min(before.ups + 1, LIMITS.recoveredAfterUps)
  const isBack =
    before.status !== 'live' && (before.status === 'unmeasured' || ups >= LIMITS.recoveredAfterUps)
  // An endpoint that was never live is new, not recovered.
  const recovers = isBack && before.status !== 'unmeasured' && before.wasLive
  const turn = { kind: 'recovered', at, before: before.status, after: 'live' } as const
  const after = { ...before, downs: null, ups }
  if (before.status !== 'live' && !isBack) return after
  return {
    ...after,
    status: 'live',
    wasLive: true,
    darkSince: null,
    confirmedAt: at,
    turns: recovers ? addTurn(before.turns, turn) : before.turns,
  }
}

function addDown(before: StatusMemory, { at, cause, client }: Observation): StatusMemory {
  const { count, from, clients, causes }: Downs = before.downs ?? {
    count: 0,
    from: at,
    clients: [],
    causes: [],
  }
  const downs = {
    count: count + 1,
    from,
    clients: clients.includes(client) ? clients : [...clients, client].slice(0, 2),
    causes: [...causes, cause].slice(-LIMITS.darkAfterDowns),
  }
  const confirmed = confirmedDown(downs, at)
  if (confirmed === null) return { ...before, ups: 0, downs }
  const { status } = before
  const turn = { kind: 'gone_dark', at, before: status, after: confirmed } as const
  return {
    ...before,
    ups: 0,
    downs,
    status: confirmed,
    confirmedAt: at,
    darkSince: before.darkSince ?? from,
    turns: status === 'live' ? addTurn(before.turns, turn) : before.turns,
  }
}

const addTurn = (turns: readonly StatusTurn[], turn: StatusTurn) => [...turns, turn].slice(-MAX_TURNS)

function confirmedDown({ count, from, clients, causes }: Downs, at: Time): 'dark' | 'invalid' | null {
  if (count < LIMITS.darkAfterDowns || at - from < LIMITS.darkAfterMs) return null
  // An answer of the seller's may be about one client identity.
  const isAnswered = causes.every((cause) => cause === 'not_found' || cause === 'http_error')
  if (isAnswered && clients.length < 2) return null
  return causes.every((cause) => INVALID_CAUSES.has(cause)) ? 'invalid' : 'dark'
}

/** Concludes the status. */
export function trackStatus({ downs, ups, wasLive: _, ...track }: StatusMemory): StatusTrack {
  const isUp = track.status === 'live' || track.status === 'unmeasured'
  const count = downs?.count ?? 0
  return { ...track, degraded: isUp ? count > 0 : ups > 0, downs: count }
}
