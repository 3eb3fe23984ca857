import type { ReceiverRecord } from '../domain/facts/facts.ts'
import type { CategoryPrice } from '../domain/facts/hostDocument.ts'
import { type Judgement, judgeEndpoint } from '../domain/judge/judge.ts'
import { mainOffer } from '../domain/judge/offers.ts'
import type { HostFacts, Store } from '../ports/store.ts'

/** All records of the receivers that an endpoint named, by `network address` in lower case, oldest first. */
export type ReceiverRecords = ReadonlyMap<string, readonly ReceiverRecord[]>

/** Reads the chain records of every receiver that an endpoint was seen to name. */
export async function readRecords(
  store: Pick<Store, 'receiver'>,
  { observations }: Pick<HostFacts, 'observations'>,
  endpoint: string,
): Promise<ReceiverRecords> {
  const wanted = new Map<string, { network: string; payTo: string }>()
  for (const look of observations) {
    const offer = look.endpoint === endpoint ? mainOffer(look) : undefined
    if (offer !== undefined) wanted.set(recordKey(offer.network, offer.payTo), offer)
  }
  const records = new Map<string, readonly ReceiverRecord[]>()
  for (const [key, { network, payTo }] of wanted) records.set(key, await store.receiver(network, payTo))
  return records
}

const recordKey = (network: string, address: string) => `${network} ${address}`.toLowerCase()

export type FactsToJudge = {
  readonly endpoint: string
  readonly facts: HostFacts
  readonly records: ReceiverRecords
  readonly categoryPrice: (category: string) => CategoryPrice | undefined
  readonly firstSeen: number | undefined
  readonly now: number
  /** 0 to 1. */
  readonly random: number
}

/** Judges one endpoint by what is stored of its host. */
export function judgeFacts({ endpoint, facts, records, ...rest }: FactsToJudge): Judgement {
  const own = <T extends { readonly endpoint: string }>(list: readonly T[]) =>
    list.filter((item) => item.endpoint === endpoint)
  return judgeEndpoint({
    ...rest,
    endpoint,
    host: new URL(endpoint).host,
    listings: own(facts.listings),
    observations: own(facts.observations),
    control: facts.observations.findLast(({ purpose }) => purpose === 'control'),
    announcements: facts.announcements,
    purchases: own(facts.purchases),
    recordsOf: (network, address) => records.get(recordKey(network, address)) ?? [],
    incidents: own(facts.incidents),
  })
}
