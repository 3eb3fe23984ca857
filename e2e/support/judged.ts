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

/** A state, and the facts that are written with it besides the looks. */
export type Judged = { readonly state: EndpointState; readonly written: Written }

/** Judges all looks at an endpoint once, at the time of the last look. */
export function judgeAtOnce(endpoint: number, looks: readonly Observation[]): Judged {
  const known = knownOf(endpoint, looks)
  const judgement = judge(endpoint, known, looks)
  const facts = [known.listing, ...known.records, ...newsOf(judgement, judgement.state.derivedAt)]
  return { state: judgement.state, written: { facts, days: foldDays(looks) } }
}

type Known = { readonly listing: ReturnType<typeof listingOf>; readonly records: readonly ReceiverRecord[] }

/** Returns the listing at the first look, and a record of the receiver at the first and at the last look. */
function knownOf(endpoint: number, looks: readonly Observation[]): Known {
  const [first, last] = [looks[0]?.at ?? 0, looks.at(-1)?.at ?? 0]
  const isChanged = isChangedAt(endpoint, last, last)
  return {
    listing: listingOf(endpoint, first),
    records: [receiverOf(endpoint, false, first), receiverOf(endpoint, isChanged, last)],
  }
}

function judge(endpoint: number, { listing, records }: Known, looks: readonly Observation[]): Judgement {
  const now = looks.at(-1)?.at ?? 0
  return judgeEndpoint({
    endpoint: urlOf(endpoint),
    host: hostOf(endpoint),
    listings: [listing],
    observations: looks,
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
