import type { Time } from '../../domain/facts/facts.ts'
import type { CrawlProgress } from '../../ports/crawlProgress.ts'
import { Moment } from '../components/prose.tsx'
import { plural } from '../text.ts'

/** How far the crawl is, as far as this process knows. */
export function CrawlLine({ crawl, now }: { crawl: CrawlProgress | undefined; now: Time }) {
  if (crawl === undefined || (crawl.round === null && crawl.lastFinishedAt === null)) {
    return (
      <p class="small muted">
        How far the crawl is, is not known here: it has not begun yet, or another process leads it.
      </p>
    )
  }
  const { round, lastFinishedAt, directories } = crawl
  return (
    <p class="small muted">
      {round === null ? (
        'All that was due has been looked at.'
      ) : (
        <>
          {round.looked} of {plural(round.total, 'due endpoint')} looked at since{' '}
          <Moment at={round.startedAt} />.
        </>
      )}
      {lastFinishedAt !== null && (
        <>
          {' '}
          The last round ended <Moment at={lastFinishedAt} now={now} />.
        </>
      )}{' '}
      Directories: {directories.read} read, {directories.failed} failed
      {directories.reading > 0 && `, ${directories.reading} being read`}.
    </p>
  )
}
