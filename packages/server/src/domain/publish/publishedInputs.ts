import { canonicalJson } from '@touchstone402/shared/log'
import type { Announcement, Listing, Purchase, ReceiverRecord } from '../facts/facts.ts'
import { wellFormedJson } from './wellFormed.ts'

/** A listing without the sample that it declares. */
export type ListedInput = Omit<Listing, 'url' | 'body' | 'title' | 'host'>

/**
 * Writes a fact that judgements read beside the probes in the form in which it is published. What a listing declares as
 * its sample is left out, since no judgement reads it and it shows a seller which requests are probes.
 */
export function writeInput(fact: Announcement | Listing | Purchase | ReceiverRecord): string {
  return canonicalJson(wellFormedJson({ ...(fact.kind === 'listing' ? withoutSample(fact) : fact) }))
}

function withoutSample({ url: _, body: __, title: ___, host: ____, ...listing }: Listing): ListedInput {
  return listing
}
