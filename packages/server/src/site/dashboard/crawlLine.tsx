import type { Time } from '../../domain/facts/facts.ts'
import type { CrawlProgress } from '../../ports/crawlProgress.ts'
import { Moment, MomentSentence } from '../components/prose.tsx'
import { plural } from '../format.ts'

/** Crawl progress as known to this process. */
export function CrawlLine({ crawl, now }: { crawl: CrawlProgress | undefined; now: Time }) {
  if (crawl !== undefined && crawl.failingSince !== null) {
    return (
      <p class="small">
        Crawl failing: no probe from here measured anything since <Moment at={crawl.failingSince} now={now} />
        . Verdicts expire until probing works again.
      </p>
    )
  }
  if (crawl === undefined || (crawl.round === null && crawl.lastFinishedAt === null)) {
    return (
      <p class="small muted">
        Crawl progress unknown: the crawl has not started, or another process runs it.
      </p>
    )
  }
  const { round, lastFinishedAt, directories } = crawl
  return (
    <p class="small muted">
      {round === null ? (
        'Crawl up to date.'
      ) : (
        <>
          {round.looked} of {plural(round.total, 'due endpoint')} probed since <Moment at={round.startedAt} />
          .
        </>
      )}
      <MomentSentence text="Last round finished" at={lastFinishedAt} now={now} /> Directories:{' '}
      {directories.read} read, {directories.failed} failed
      {directories.reading > 0 && `, ${directories.reading} in progress`}.
    </p>
  )
}
