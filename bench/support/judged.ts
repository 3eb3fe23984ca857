import {
  type Carried,
  carry,
  type EndpointDocument,
  type Fact,
  type Judgement,
  judgeEndpoint,
  type Observation,
  type ReceiverRecord,
  type Written,
} from '@touchstone402/server/parts'
import { hostOf, isChangedAt, listingOf, lot, receiverOf, urlOf } from './history.ts'

/** A document, and the facts that are written with it besides the looks. */
export type Judged = { readonly document: EndpointDocument; readonly written: Written }

/**
 * Folds all looks at an endpoint and judges once, at the time of the last look.
 * @param folded what folding the looks gives, if it is known. @default it is folded here
 */
export function judgeAtOnce(
  endpoint: number,
  looks: readonly Observation[],
  { carried, days }: ReturnType<typeof carry> = carry(undefined, looks),
): Judged {
  const known = knownOf(endpoint, looks)
  const judgement = judge(endpoint, known, carried)
  const facts = [known.listing, ...known.records, ...newsOf(judgement, carried.lastAt)]
  return { document: { state: judgement.state, carried }, written: { facts, days } }
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

function judge(endpoint: number, { listing, records }: Known, carried: Carried): Judgement {
  const now = carried.lastAt
  return judgeEndpoint({
    endpoint: urlOf(endpoint),
    host: hostOf(endpoint),
    listings: [listing],
    carried,
    control: undefined,
    announcements: [],
    purchases: [],
    recordsOf: (_, address) =>
      records.filter((record) => record.at <= now && record.address === address.toLowerCase()),
    categoryPrice: () => undefined,
    incidents: [],
    firstSeen: undefined,
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
