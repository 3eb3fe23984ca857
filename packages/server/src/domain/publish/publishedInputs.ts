import { canonicalJson } from '@touchstone402/shared/log'
import type { Announcement, Listing, Purchase, ReceiverRecord } from '../facts/facts.ts'
import { HOUR } from '../facts/times.ts'
import { wellFormedJson } from './wellFormed.ts'

/** A listing without the sample that it declares. */
export type ListedInput = Omit<Listing, 'url' | 'body' | 'title' | 'host'>

/**
 * Writes a fact that judgements read beside the looks in the form in which it is published. What a listing declares as
 * its sample is left out, and the time at which an announcement was read is given by its hour: both would show a seller
 * which requests were probes.
 */
export function writeInput(fact: Announcement | Listing | Purchase | ReceiverRecord): string {
  return canonicalJson(wellFormedJson({ ...publicPart(fact) }))
}

function publicPart(fact: Announcement | Listing | Purchase | ReceiverRecord): object {
  if (fact.kind === 'announcement') return { ...fact, at: fact.at - (fact.at % HOUR) }
  return fact.kind === 'listing' ? withoutSample(fact) : fact
}

function withoutSample({ url: _, body: __, title: ___, host: ____, ...listing }: Listing): ListedInput {
  return listing
}
