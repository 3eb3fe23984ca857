import { isTemplate } from '@touchstone402/shared'
import type { Context } from '../context.ts'
import type { Directory } from '../directories/directory.ts'
import type { DirectoryProgress } from '../facts/crawlProgress.ts'
import type { ListedRow, Listing } from '../facts/facts.ts'
import { canonicalJson } from '../facts/json.ts'
import { addSkips, type SkipCounts } from '../facts/skips.ts'
import { HOUR, READ_AGAIN_MS } from '../facts/times.ts'
import { logFailure } from '../lib/logFailure.ts'
import { readListings } from '../store/facts.ts'

/** Interval between reads of a directory. */
const DISCOVER_EVERY_MS = 6 * HOUR
/** Minimum interval between records of a refresh without changes. */
const REFRESH_MS = 6 * HOUR

type ReaderContext = Pick<Context, 'clock' | 'ids' | 'log' | 'store'>

/** Reads directories in parallel; a slow one does not delay the others. */
export type DirectoryReader = {
  /** Starts reading every directory that is due. Returns at once. */
  begin(signal: AbortSignal): void
  /** Returns when the next directory is due; infinity while all are being read. */
  next(): number
  /** Resolves when no directory is being read. */
  settled(): Promise<void>
  progress(): DirectoryProgress
}

type Reading = {
  readonly directory: Directory
  /** Time of the last reading; 0 before the first. */
  readAt: number
  dueAt: number
  times: number
  listed: number
  skipped: SkipCounts
  outcome: 'read' | 'failed' | null
  running: Promise<void> | null
}

/**
 * Creates the reader. It records new and changed listings; a failing directory is logged and keeps its earlier ones.
 * @param onRecorded called after each page with new or changed listings
 */
export function createDirectoryReader(
  ctx: ReaderContext,
  directories: readonly Directory[],
  onRecorded: () => void,
): DirectoryReader {
  const { clock, log } = ctx
  const idle = {
    readAt: 0,
    dueAt: clock.now(),
    times: 0,
    listed: 0,
    skipped: {},
    outcome: null,
    running: null,
  }
  const readings = directories.map((directory): Reading => ({ directory, ...idle }))

  const read = async (reading: Reading, signal: AbortSignal) => {
    const { directory } = reading
    const release = clock.hold()
    let listed = 0
    let skipped: SkipCounts = {}
    let isUnfinished = false
    try {
      for await (const page of directory.pages(signal)) {
        const probeable = page.rows.filter(isProbeable)
        const template = page.rows.length - probeable.length
        listed += page.rows.length
        const { recorded, leftOut } = await recordRows(ctx, probeable)
        const own = { ...(template > 0 && { template }), ...(leftOut > 0 && { over_limit: leftOut }) }
        skipped = addSkips([skipped, page.skipped, own])
        isUnfinished ||= page.isUnfinished === true
        if (recorded > 0) onRecorded()
      }
      if (listed === 0 && mustList(directory, skipped))
        throw new Error(`it lists nothing that can be used${describeSkips(skipped)}`)
      reading.outcome = 'read'
    } catch (error) {
      reading.outcome = 'failed'
      if (!signal.aborted) logFailure(log, 'directory', error, directory.name)
    }
    const readAt = clock.now()
    const dueAt = readAt + (isUnfinished ? READ_AGAIN_MS : DISCOVER_EVERY_MS)
    Object.assign(reading, { readAt, times: reading.times + 1, listed, skipped, dueAt, running: null })
    release()
  }

  /** Returns when a directory is due: at once if it was read in the future, since the clock was set back. */
  const dueTime = ({ readAt, dueAt }: Reading) => (clock.now() < readAt ? clock.now() : dueAt)
  const count = (wanted: Reading['outcome']) =>
    readings.filter(({ directory, outcome }) => outcome === wanted && directory.isInternal !== true).length
  return {
    begin(signal) {
      for (const reading of readings) {
        if (reading.running === null && clock.now() >= dueTime(reading))
          reading.running = read(reading, signal)
      }
    },
    next: () => Math.min(...readings.filter(({ running }) => running === null).map(dueTime)),
    async settled() {
      await Promise.all(readings.map(({ running }) => running))
    },
    progress: () => ({
      discoveries: readings.length === 0 ? 0 : Math.min(...readings.map(({ times }) => times)),
      listed: readings.reduce((sum, reading) => sum + reading.listed, 0),
      rows: Object.fromEntries(
        readings
          .filter(({ directory, times }) => directory.isInternal !== true && times > 0)
          .map(({ directory, listed }) => [directory.name, listed]),
      ),
      skipped: addSkips(readings.map((reading) => reading.skipped)),
      directories: {
        read: count('read'),
        failed: count('failed'),
        reading: readings.filter(({ running }) => running !== null).length,
      },
    }),
  }
}

/** Whether a directory that listed no usable row is at fault: another service may have taken its address, or its format has changed. */
const mustList = ({ isInternal, mayBeEmpty }: Directory, skipped: SkipCounts) =>
  isInternal !== true && !(mayBeEmpty === true && Object.keys(skipped).length === 0)

function describeSkips(skipped: SkipCounts): string {
  const counts = Object.entries(skipped).map(([reason, number]) => `${reason} ${number}`)
  return counts.length === 0 ? '' : `; skipped: ${counts.join(', ')}`
}

/** A template without a sample URL cannot be probed. */
const isProbeable = ({ endpoint, url }: ListedRow) => !isTemplate(endpoint) || url !== endpoint

/** Appends listings that are new or changed, and notes that all are listed. Returns the numbers of new ones. */
async function recordRows(
  { clock, ids, store }: ReaderContext,
  rows: readonly ListedRow[],
): Promise<{ readonly recorded: number; readonly leftOut: number }> {
  const endpoints = [...new Set(rows.map(({ endpoint }) => endpoint))]
  const listings = await readListings(store, endpoints)
  // A page may list an endpoint twice, such as two methods of a path. The first counts.
  const firsts = new Map(rows.toReversed().map((row) => [`${row.directory} ${row.endpoint}`, row]))
  const fresh = [...firsts.values()].reverse().flatMap((row): Listing[] => {
    const known = listings.get(row.endpoint)?.find(({ directory }) => directory === row.directory)
    const isKnown = known !== undefined && !isNews(known, row)
    return isKnown ? [] : [{ kind: 'listing', id: ids.newId('lst'), at: clock.now(), ...row }]
  })
  const leftOut = fresh.length === 0 ? 0 : await store.write('append', fresh)
  if (endpoints.length > 0) await store.write('noteListed', endpoints, clock.now())
  return { recorded: fresh.length - leftOut, leftOut }
}

function isNews(known: Listing, row: ListedRow): boolean {
  const { kind: _kind, id: _id, at: _at, claimedAt, ...before } = known
  const { claimedAt: refreshedAt, ...after } = row
  if (canonicalJson(before) !== canonicalJson(after)) return true
  return refreshedAt !== null && (claimedAt === null || refreshedAt - claimedAt >= REFRESH_MS)
}
