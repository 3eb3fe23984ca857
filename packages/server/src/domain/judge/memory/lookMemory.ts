import { hasTerms, isOwnFault, type Observation, type Outcome, type Time } from '../../facts/facts.ts'
import { HOUR } from '../../facts/times.ts'
import { keepLooks, limitLook } from './looks.ts'
import { settleRefusal, toWorked, type Worked } from './refusals.ts'

/** The last look. */
export type LastLook = {
  readonly id: string
  readonly at: Time
  readonly outcome: Outcome
  readonly isOwnFault: boolean
  /** Present if the host declined the probe. */
  readonly optedOut?: true
  readonly problems: readonly string[]
}

/** The last answer to whether the URL that challenges name leads to the endpoint. */
export type ResourceAsked = Pick<Observation, 'resourceUrl' | 'resourceAsked'>

/** Memory of all looks, failed ones included. */
export type LookMemory = {
  readonly firstAt: Time
  readonly last: LastLook | null
  readonly worked: Worked | null
  /** Number of successes, and time of the first look after the last one. */
  readonly ups: number
  readonly sinceUp: Time | null
  /** Times of successes within an hour before the last one, at most 41. */
  readonly recentUps: readonly Time[]
  /** Number of looks without a measurement at the end. */
  readonly unanswered: number
  /** Ids of the last three failures. */
  readonly downs: readonly string[]
  /** The last two measured looks, and whether they named a malformed receiver only. */
  readonly measured: readonly { readonly id: string; readonly isMalformed: boolean }[]
  /** Client identities, the one that has waited longest first. */
  readonly clients: readonly string[]
  /** Methods whose input was refused. */
  readonly refusedMethods: readonly string[]
  /** Time of the first probe with terms, and the last of them. */
  readonly startedAt: Time | null
  readonly probes: readonly Observation[]
  readonly asked: ResourceAsked | null
}

/** As many as the schedule counts. */
const MAX_UPS = 41
const MAX_CLIENTS = 24
/** Maximum number of methods. With more, input is taken as refused by any. */
const MAX_METHODS = 8
export const ANY_METHOD = '*'

export const NO_LOOKS: LookMemory = {
  firstAt: 0,
  last: null,
  worked: null,
  ups: 0,
  sinceUp: null,
  recentUps: [],
  unanswered: 0,
  downs: [],
  measured: [],
  clients: [],
  refusedMethods: [],
  startedAt: null,
  probes: [],
  asked: null,
}

/** Decides what a look counts as, by those before it. */
export function settleLook(before: LookMemory, look: Observation): Observation {
  const { worked, last, firstAt } = before
  return settleRefusal(limitLook(look), worked, last === null ? look.at : firstAt)
}

/** Adds a settled look. */
export function addLook(before: LookMemory, look: Observation): LookMemory {
  const { id, at, outcome, client, problems, cause, method } = look
  const isUp = outcome === 'up'
  const isMeasured = outcome !== 'not_measured'
  const isMalformed = look.offers.length === 0 && problems.includes('payto_malformed')
  const isRefused = cause === 'input_needed' && !before.refusedMethods.includes(method)
  return {
    ...(hasTerms(look) ? addProbe(before, look) : before),
    firstAt: before.last === null ? at : before.firstAt,
    last: {
      id,
      at,
      outcome,
      isOwnFault: isOwnFault(look),
      problems,
      ...(cause === 'opted_out' && { optedOut: true }),
    },
    worked: isUp ? toWorked(look) : before.worked,
    ups: before.ups + (isUp ? 1 : 0),
    sinceUp: isUp ? null : (before.sinceUp ?? at),
    recentUps: isUp
      ? [...before.recentUps.filter((time) => time > at - HOUR), at].slice(-MAX_UPS)
      : before.recentUps,
    unanswered: isMeasured ? 0 : before.unanswered + 1,
    downs: outcome === 'down' ? [...before.downs, id].slice(-3) : before.downs,
    measured: isMeasured ? [...before.measured, { id, isMalformed }].slice(-2) : before.measured,
    clients: [...before.clients.filter((name) => name !== client), client].slice(-MAX_CLIENTS),
    refusedMethods: isRefused ? addMethod(before.refusedMethods, method) : before.refusedMethods,
  }
}

const addMethod = (methods: readonly string[], method: string) =>
  methods.length < MAX_METHODS ? [...methods, method] : [...methods.slice(0, -1), ANY_METHOD]

function addProbe(before: LookMemory, look: Observation): LookMemory {
  const { resourceUrl, resourceAsked } = look
  return {
    ...before,
    startedAt: before.startedAt ?? look.at,
    probes: keepLooks([...before.probes, look], 2),
    asked:
      resourceAsked === undefined
        ? before.asked
        : { resourceAsked, ...(resourceUrl !== undefined && { resourceUrl }) },
  }
}
