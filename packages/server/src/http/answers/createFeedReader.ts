import { type Change, decodeCursor, encodeCursor, type Incident } from '@touchstone402/shared'
import { DAY, startOfMinute, toTimestamp } from '../../domain/facts/times.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FeedPage, FeedQuery } from '../../ports/store.ts'
import type { ReadModel } from '../../readModel/createReadModel.ts'
import type { OperationQuery } from '../deps.ts'

type FeedReaderDeps = {
  readonly readModel: Pick<ReadModel, 'revision'>
  readonly clock: Pick<Clock, 'now'>
}

/** Creates the reader of one page of a feed: its records, and what its answer says about them. */
export function createFeedReader({ readModel, clock }: FeedReaderDeps) {
  return async <T extends Incident | Change>(
    { days, since, limit, cursor }: OperationQuery<'incidents' | 'changes'>,
    read: (query: FeedQuery) => Promise<FeedPage<T>>,
  ) => {
    // Changes and incidents are written with a document, which increments the revision.
    const revision = readModel.revision()
    const now = clock.now()
    const from = since === undefined ? now - days * DAY : Date.parse(since)
    const after = cursor === undefined ? undefined : decodeCursor(cursor)
    // One more than asked for tells whether there is a next page.
    const page = await read({ since: from, limit: limit + 1, ...(after && { after }) })
    const records = page.records.slice(0, limit)
    const last = page.records.length > limit ? records.at(-1) : undefined
    return {
      head: {
        asOf: toTimestamp(startOfMinute(now)),
        days: since === undefined ? days : Math.max(0, Math.ceil((now - from) / DAY)),
        since: since ?? null,
        limit,
        count: records.length,
        total: page.total,
        truncated: last !== undefined,
        nextCursor: last === undefined ? null : encodeCursor(placeOf(last)),
      },
      records,
      isCurrent: () => readModel.revision() === revision,
    }
  }
}

const placeOf = (record: Incident | Change) => ({
  at: Date.parse('at' in record ? record.at : record.detectedAt),
  id: record.id,
})
