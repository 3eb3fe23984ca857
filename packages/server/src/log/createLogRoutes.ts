import { parseTilePath } from '@touchstone402/transparency'
import { readLogFile } from '@touchstone402/transparency/publisher'
import type { Page } from '../http/deps.ts'
import type { Clock } from '../lib/clock.ts'
import { ProblemError } from '../lib/problemError.ts'
import type { Store } from '../store/store.ts'
import { isDayOpen, listDay, listInputs } from './listDay.ts'
import { readOpenings } from './logFiles.ts'
import { logStorage } from './logStorage.ts'
import { proveLeaf } from './proveLeaf.ts'

const TEXT = 'text/plain; charset=utf-8'
const BYTES = 'application/octet-stream'
const LINES = 'application/x-ndjson; charset=utf-8'
const YEAR_SECONDS = 365 * 86_400
/** Checkpoints change, so caches may hold them for seconds only. */
const CHECKPOINT_SECONDS = 5
const INDEX = /^(0|[1-9][0-9]{0,14})$/
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
/** Lines of one host and day that an answer holds; more are not served. */
const MAX_BYTES = 16 * 1024 * 1024

type Deps = {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Creates the data of the log: checkpoint, tiles, entries, openings (C2SP tlog-tiles), leaves with their proofs, and the
 * lines of days whose SHA-256 leaves of kind `day` hold.
 */
export function createLogRoutes(deps: Deps): Page[] {
  const store = deps.store
  const storage = logStorage(store)
  return [
    {
      path: '/log/checkpoint',
      async handler() {
        const note = await readLogFile(storage, 'checkpoint')
        if (note === undefined) throw notFound('The log has no checkpoint yet.')
        return { type: TEXT, body: note, maxAgeSeconds: CHECKPOINT_SECONDS }
      },
    },
    {
      path: '/log/tile/:level/*place',
      async handler({ params }) {
        const bytes = await readLogFile(storage, `tile/${params.level}/${params.place}`)
        if (bytes === undefined) throw notFound('The published checkpoint has no such tile.')
        return { type: BYTES, body: bytes, maxAgeSeconds: YEAR_SECONDS }
      },
    },
    {
      path: '/log/openings/*place',
      async handler({ params }) {
        const tile = parseTilePath(`tile/entries/${params.place}`)
        const body = tile && (await readOpenings(store, tile))
        if (body === undefined) throw notFound('The published checkpoint has no such entries.')
        return { type: TEXT, body, maxAgeSeconds: 300 }
      },
    },
    {
      path: '/log/leaves/:index',
      async handler({ params: { index = '' } }) {
        const entry = INDEX.test(index) ? await proveLeaf(store, Number(index)) : undefined
        if (entry === undefined) throw notFound('The published checkpoint covers no such entry.')
        const type = 'application/json; charset=utf-8'
        return { type, body: JSON.stringify(entry), maxAgeSeconds: 10 }
      },
    },
    createLinesRoute('/log/days/:date/:host', listDay, deps),
    createLinesRoute('/log/inputs/:date/:host', listInputs, deps),
  ]
}

function createLinesRoute<S extends Deps['store']>(
  path: string,
  list: (store: S, host: string, date: string) => AsyncIterable<string>,
  { store, clock }: { readonly store: S; readonly clock: Deps['clock'] },
): Page {
  return {
    path,
    async handler({ params: { date = '', host = '' } }) {
      const lines: string[] = []
      let bytes = 0
      if (DATE.test(date) && isDayOpen(date, clock.now())) {
        for await (const line of list(store, host, date)) {
          bytes += line.length
          if (bytes > MAX_BYTES) throw notFound('The lines of this day are too many to serve.')
          lines.push(line)
        }
      }
      if (lines.length === 0) throw notFound('There are no such lines, or it is too early.')
      return { type: LINES, body: lines.join(''), maxAgeSeconds: 3600 }
    },
  }
}

const notFound = (detail: string) => new ProblemError(404, 'not_found', detail)
