import type { Observation, Outcome, Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import { longestIntervalMs } from './intervals.ts'
import { LIMITS } from './spec.ts'

/** A probe that counts for uptime. */
export type UptimeEntry = {
  readonly at: Time
  readonly outcome: Outcome
  /** Whether it is a scheduled probe, or else the first success after a failure. */
  readonly isScheduled: boolean
  /** Time that the crawl watched since the scheduled probe before, in milliseconds. */
  readonly gapMs: number
}

/** The probes of about 31 days that count for uptime. */
export type UptimeLog = {
  /** Time before the first entry. */
  readonly from: Time
  /** Time of the last entry. */
  readonly to: Time
  /**
   * Entries as text: milliseconds since the one before in base 36, a letter, and the watched time in braces if it is
   * not the time since the scheduled probe before.
   */
  readonly text: string
  /** Whether the last measured look failed. */
  readonly isDown: boolean
  /** Time of the last look that was not a live check. */
  readonly lastAt: Time | null
  /** Time of the first failure since the last success; null after a success, 0 without any. */
  readonly darkFrom: Time | null
  /** Time of the last scheduled probe. */
  readonly scheduledAt: Time | null
  /** Time that the crawl watched since then, in milliseconds. */
  readonly sinceMs: number
}

/** What a judgement needs: the window before each failed probe of the last day. */
const MEMORY_MS = LIMITS.uptimeWindowMs + Math.max(DAY, LIMITS.flakyMemoryMs)
/** Maximum length of the text: about 1,200 probes. Beyond, the oldest successes are left out. */
const MAX_LENGTH = 8000

const LETTERS = { up: 'U', down: 'D', not_measured: 'N' } as const
const OUTCOMES: Readonly<Record<string, Outcome>> = { U: 'up', D: 'down', N: 'not_measured', C: 'up' }

export const NO_UPTIME: UptimeLog = {
  from: 0,
  to: 0,
  text: '',
  isDown: false,
  lastAt: null,
  darkFrom: 0,
  scheduledAt: null,
  sinceMs: 0,
}

/**
 * Adds a settled look. Scheduled probes count, and the first success after a failure. Other confirming probes would
 * count one fault several times; live checks would let a seller buy its uptime.
 */
export function addUptime(before: UptimeLog, look: Observation): UptimeLog {
  const { outcome, purpose } = look
  const at = Math.round(look.at)
  const isRecovery = purpose === 'confirm' && before.isDown && outcome === 'up'
  const isDown = outcome === 'not_measured' ? before.isDown : outcome === 'down'
  if (purpose === 'live') return isDown === before.isDown ? before : { ...before, isDown }
  const { lastAt, darkFrom } = before
  const watchedMs =
    lastAt === null ? 0 : Math.min(at - lastAt, longestIntervalMs(lastAt - (darkFrom ?? 2 * at)))
  const sinceMs = before.sinceMs + watchedMs
  const log: UptimeLog = {
    ...before,
    isDown,
    lastAt: at,
    sinceMs,
    darkFrom: outcome === 'up' ? null : outcome === 'down' ? Math.min(darkFrom ?? at, at) : darkFrom,
  }
  if (purpose !== 'scheduled') return isRecovery ? append(log, at, 'C') : log
  const isWatched = log.scheduledAt === null || sinceMs === at - log.scheduledAt
  const letter = isWatched ? LETTERS[outcome] : `${LETTERS[outcome]}{${sinceMs}}`
  return append({ ...log, scheduledAt: at, sinceMs: 0 }, at, letter)
}

function append(log: UptimeLog, at: Time, letter: string): UptimeLog {
  const isFirst = log.text === ''
  const added = `${(isFirst ? 0 : at - log.to).toString(36)}${letter}`
  return shorten({ ...log, from: isFirst ? at : log.from, to: at, text: log.text + added })
}

const ENTRY = /([0-9a-z]+)([UDNC])(?:\{([^}]*)\})?/g

/** Reads the entries of a log, oldest first. */
export function readEntries({ from, text }: Pick<UptimeLog, 'from' | 'text'>): UptimeEntry[] {
  const entries: UptimeEntry[] = []
  let at = from
  let scheduledAt: Time | null = null
  for (const [, delta = '', letter = '', gap] of text.matchAll(ENTRY)) {
    at += Number.parseInt(delta, 36)
    const isScheduled = letter !== 'C'
    const gapMs = gap === undefined ? at - (scheduledAt ?? at) : Number(gap)
    entries.push({ at, outcome: OUTCOMES[letter] ?? 'up', isScheduled, gapMs })
    if (isScheduled) scheduledAt = at
  }
  return entries
}

/** Leaves out what no judgement reads. A scheduled probe before the window stays, since the next one's time begins there. */
function shorten(log: UptimeLog): UptimeLog {
  if (log.text.length <= MAX_LENGTH && log.from > log.to - MEMORY_MS) return log
  const entries = readEntries(log)
  const start = entries.findLastIndex(({ at, isScheduled }) => isScheduled && at <= log.to - MEMORY_MS)
  const kept = entries.slice(Math.max(0, start))
  const isLong = log.text.length > MAX_LENGTH
  const dropped = isLong
    ? Math.max(
        1,
        kept.findIndex(({ outcome }) => outcome === 'up'),
      )
    : -1
  return start <= 0 && !isLong ? log : write(log, withoutEntry(kept, dropped))
}

/** The watched time of a dropped probe is left to the next one. */
function withoutEntry(entries: readonly UptimeEntry[], dropped: number): readonly UptimeEntry[] {
  const gone = entries[dropped]
  if (gone === undefined) return entries
  const heir = entries.findIndex(({ isScheduled }, index) => index > dropped && isScheduled)
  return entries.flatMap((entry, index) => {
    if (index === dropped) return []
    return index === heir && gone.isScheduled ? [{ ...entry, gapMs: entry.gapMs + gone.gapMs }] : [entry]
  })
}

function write(log: UptimeLog, entries: readonly UptimeEntry[]): UptimeLog {
  const from = entries[0]?.at ?? log.to
  let before = from
  let scheduledAt: Time | null = null
  let text = ''
  for (const { at, outcome, isScheduled, gapMs } of entries) {
    const isWatched = scheduledAt === null || gapMs === at - scheduledAt
    const letter = isScheduled ? LETTERS[outcome] : 'C'
    text += `${(at - before).toString(36)}${letter}${isScheduled && !isWatched ? `{${gapMs}}` : ''}`
    before = at
    if (isScheduled) scheduledAt = at
  }
  return { ...log, from, text }
}
