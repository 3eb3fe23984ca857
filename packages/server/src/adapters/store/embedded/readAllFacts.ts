import type {
  Announcement,
  DailyReport,
  Fact,
  Listing,
  PublishedChange,
  PublishedIncident,
  Purchase,
  ReceiverRecord,
} from '../../../domain/facts/facts.ts'
import { keyOf, within } from './keys.ts'
import { keptCited, type LooksMeta, readLooks } from './looks.ts'
import { fromBytes, type Source } from './source.ts'

/** Kinds of keys whose values are facts. */
const FACTS = ['e', 'a', 'v', 'r']
/** Kinds of keys of subjects of looks. */
const SUBJECTS = ['m', 'M']

type Stored =
  | Announcement
  | DailyReport
  | Listing
  | PublishedChange
  | PublishedIncident
  | Purchase
  | ReceiverRecord

/** Passes over all facts that are kept, in their latest state; those of one subject oldest first. */
export async function* readAllFacts(source: Source): AsyncIterable<Fact> {
  for (const kind of FACTS) {
    for await (const [, value] of source.list(within(keyOf(kind)))) yield fromBytes<Stored>(value)
  }
  for (const kind of SUBJECTS) {
    for await (const [, value] of source.list(within(keyOf(kind)))) {
      const { number } = fromBytes<LooksMeta>(value)
      yield* (await keptCited(source, number)).sort((a, b) => a.at - b.at)
      for await (const { look } of readLooks(source, number)) yield look
    }
  }
}
