import { FindingsSchema } from '@touchstone402/shared'
import { LogError } from '@touchstone402/transparency'
import { z } from 'zod'
import type { Observation, Time } from '../../facts/facts.ts'
import { MINUTE } from '../../facts/times.ts'
import { findAlternations } from '../../judge/clients.ts'
import { createEpoch, splitEpochs } from '../../judge/epochs.ts'
import { findFlickers } from '../../judge/flickers.ts'
import { normalAddress, receiverSets } from '../../judge/offers.ts'
import { lowestUsd } from '../../judge/prices.ts'
import { LIMITS } from '../../judge/spec.ts'
import { termsDiffer, toSeen } from '../../judge/terms.ts'
import { readProbe } from './publishedLines.ts'

/** Evidence of a finding, as it is published at once. Probes are oldest first. */
type Published = {
  readonly probes: readonly Observation[]
  /** Receivers before the change. */
  readonly before: readonly string[]
  readonly claimedUsd: number | null
}

type Rule = {
  /** Time between probes whose exact times are withheld. */
  readonly everyMs: Time
  readonly holds: (published: Published) => boolean
}

/** Result of recomputing a finding. */
export type RecomputedFinding = {
  readonly code: string
  /** Whether the rule finds it again; null if this command has no rule for it. */
  readonly holds: boolean | null
  readonly probes: number
  readonly identities: number
  /** Whether the times are exact. If not, the order alone is checked. */
  readonly isTimed: boolean
}

const CHANGED: Rule = {
  everyMs: MINUTE,
  holds({ probes, before }) {
    const epoch = createEpoch(0, [['', before.map(normalAddress)]], undefined)
    return before.length > 0 && splitEpochs(probes, { epoch, changes: [] }).epochs.length > 1
  },
}

const flickers = (isRepeated: boolean): Rule => ({
  everyMs: LIMITS.cacheLagMs,
  holds({ probes }) {
    const [, usual] = probes
    const last = probes.at(-1)
    if (usual === undefined || last === undefined) return false
    const epoch = createEpoch(0, receiverSets(usual), undefined)
    return findFlickers(probes, epoch, [], last.at).some((one) => one.isRepeated || !isRepeated)
  },
})

const dearer = (times: number): Rule => ({
  everyMs: LIMITS.priceBaitSpanMs,
  holds: ({ probes, claimedUsd }) =>
    claimedUsd !== null &&
    probes.length > 1 &&
    probes.every((probe) => (lowestUsd(probe) ?? 0) > claimedUsd * times),
})

const RULES: Readonly<Record<string, Rule | undefined>> = {
  payto_changed: CHANGED,
  receiver_handed_over: CHANGED,
  receiver_confirmed_by_host: CHANGED,
  receiver_flickers: flickers(false),
  receiver_alternates: flickers(true),
  cloaked: {
    everyMs: MINUTE,
    holds({ probes }) {
      const last = probes.at(-1)
      return (
        last !== undefined && findAlternations(probes.map(toSeen), last.at, termsDiffer).cloaking !== null
      )
    },
  },
  price_bait: dearer(LIMITS.priceBaitTimes),
  price_differs: dearer(1 + LIMITS.priceDiffersPct / 100),
}

/** Whether a finding is recomputed from the probes that it cites. */
export const isRecomputed = (code: string): boolean => Object.hasOwn(RULES, code)

/** Applies the rules of an endpoint's findings to the probes that they cite. @throws LogError `malformed_leaf` */
export function recomputeFindings(json: unknown): RecomputedFinding[] {
  const read = z.safeParse(FindingsSchema, json)
  if (!read.success) throw new LogError('malformed_leaf', 'the findings are not in the published form')
  return read.data.findings.map(({ code, before, claimedUsd, probes: lines }) => {
    const rule = isRecomputed(code) ? RULES[code] : undefined
    const isTimed = lines.every(({ exactFrom }) => exactFrom === undefined)
    const probes = lines.map(({ identity, exactFrom: _, ...line }, index) => {
      const probe = readProbe({ ...line, client: `${identity}` })
      return isTimed ? probe : { ...probe, at: (index + 1) * (rule?.everyMs ?? MINUTE) }
    })
    return {
      code,
      holds: rule === undefined ? null : rule.holds({ probes, before, claimedUsd }),
      probes: probes.length,
      identities: new Set(lines.map(({ identity }) => identity)).size,
      isTimed,
    }
  })
}
