import type { Time } from '../../domain/facts/facts.ts'
import { DAY } from '../../domain/facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { listDay, listInputs } from '../../log/listDay.ts'
import type { PageDeps } from '../pageDeps.ts'

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
/** Lines of one host and day that an answer holds; more are not served. */
const MAX_BYTES = 16 * 1024 * 1024

type Deps = Pick<PageDeps, 'store' | 'clock'>

/** Returns whether the looks of a day, such as `2026-01-31`, are published: from 24 hours after its end on. */
export const isDayOpen = (date: string, now: Time): boolean =>
  Date.parse(`${date}T00:00:00Z`) + 2 * DAY <= now

/**
 * Creates `/log/days/{date}/{host}`: the looks at a host on one day, from 24 hours after its end on. The SHA-256 of the
 * body is that of the day's leaf.
 */
export function createDayPage(deps: Deps): Page {
  return createLinesPage('/log/days/:date/:host', listDay, deps)
}

/**
 * Creates `/log/inputs/{date}/{host}`: what judgements of a host read beside its looks on that day. The SHA-256 of the
 * body is `inputs` of the day's leaf.
 */
export function createInputsPage(deps: Deps): Page {
  return createLinesPage('/log/inputs/:date/:host', listInputs, deps)
}

function createLinesPage(
  path: string,
  list: (store: PageDeps['store'], host: string, date: string) => AsyncIterable<string>,
  { store, clock }: Deps,
): Page {
  const type = 'application/x-ndjson; charset=utf-8'
  return {
    path,
    async handler({ params: { date = '', host = '' } }) {
      const lines: string[] = []
      let bytes = 0
      if (DATE.test(date) && isDayOpen(date, clock.now())) {
        for await (const line of list(store, host, date)) {
          bytes += line.length
          if (bytes > MAX_BYTES) return { status: 404, type, body: '' }
          lines.push(line)
        }
      }
      return { status: lines.length === 0 ? 404 : 200, type, body: lines.join(''), maxAgeSeconds: 3600 }
    },
  }
}
