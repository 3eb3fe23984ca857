import {
  type EndpointState,
  type Fact,
  foldDays,
  type Judgement,
  judgeEndpoint,
  type Observation,
  type ReceiverRecord,
  type Written,
} from '@touchstone402/server/testing'
import { hostOf, isChangedAt, listingOf, lot, receiverOf, urlOf } from './history.ts'

/** A state, and the facts that are written with it besides the probes. */
export type Judged = { readonly state: EndpointState; readonly written: Written }

/** Judges all probes of an endpoint once, at the time of the last probe. */
export function judgeAtOnce(endpoint: number, observations: readonly Observation[]): Judged {
  const known = knownOf(endpoint, observations)
  const judgement = judge(endpoint, known, observations)
  const facts = [known.listing, ...known.records, ...newsOf(judgement, judgement.state.derivedAt)]
  return { state: judgement.state, written: { facts, days: foldDays(observations) } }
}

type Known = { readonly listing: ReturnType<typeof listingOf>; readonly records: readonly ReceiverRecord[] }

/** Returns the listing at the first probe, and a record of the receiver at the first and at the last probe. */
function knownOf(endpoint: number, observations: readonly Observation[]): Known {
  const [first, last] = [observations[0]?.at ?? 0, observations.at(-1)?.at ?? 0]
  const isChanged = isChangedAt(endpoint, last, last)
  return {
    listing: listingOf(endpoint, first),
    records: [receiverOf(endpoint, false, first), receiverOf(endpoint, isChanged, last)],
  }
}

function judge(
  endpoint: number,
  { listing, records }: Known,
  observations: readonly Observation[],
): Judgement {
  const now = observations.at(-1)?.at ?? 0
  return judgeEndpoint({
    endpoint: urlOf(endpoint),
    host: hostOf(endpoint),
    listings: [listing],
    observations: observations,
    isWhole: true,
    changes: [],
    control: undefined,
    announcements: [],
    purchases: [],
    recordsOf: (_, address) =>
      records.filter((record) => record.at <= now && record.address === address.toLowerCase()),
    categoryPrice: () => undefined,
    incidents: [],
    now,
    random: lot(endpoint, 0) / 2 ** 32,
  })
}

function newsOf({ changes, incidents }: Judgement, at: number): Fact[] {
  return [
    ...changes.map((change) => ({ kind: 'change' as const, id: change.id, at, change })),
    ...incidents.map((incident) => ({ kind: 'incident' as const, id: incident.id, at, incident })),
  ]
}
