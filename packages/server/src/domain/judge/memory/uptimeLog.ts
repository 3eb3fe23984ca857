import type { Observation, Outcome, Time } from '../../facts/facts.ts'
import { DAY } from '../../facts/times.ts'
import { LIMITS } from '../spec.ts'
import { longestIntervalMs } from './intervals.ts'

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

/** Span that a judgement reads: the window before each failed probe of the last day. */
const MEMORY_MS = LIMITS.uptimeWindowMs + Math.max(DAY, LIMITS.flakyMemoryMs)
/** Maximum length of the text: about 1,300 probes. Beyond, one success in eight is left out, the oldest first. */
const MAX_LENGTH = 8000
const DROPPED_SHARE = 8
const DROPPED_FIRST: readonly Outcome[] = ['up', 'not_measured', 'down']

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

/** An entry as text: its length of time, its letter, the watched time in braces, and where the next one begins. */
type Part = {
  readonly deltaMs: number
  readonly letter: string
  readonly gap: string | null
  readonly end: number
}

function readPart(text: string, start: number): Part {
  let end = start
  // The digits of base 36 are in lower case, the letters are capitals.
  while (end < text.length && !isLetter(text.charCodeAt(end))) end++
  const deltaMs = Number.parseInt(text.slice(start, end), 36)
  const letter = text[end] ?? ''
  if (text[end + 1] !== '{') return { deltaMs, letter, gap: null, end: end + 1 }
  const close = text.indexOf('}', end)
  return { deltaMs, letter, gap: text.slice(end + 2, close), end: close + 1 }
}

const isLetter = (code: number) => code >= 65 && code <= 90

/** Reads the entries of a log, oldest first. */
export function readEntries({ from, text }: Pick<UptimeLog, 'from' | 'text'>): UptimeEntry[] {
  const entries: UptimeEntry[] = []
  let at = from
  let scheduledAt: Time | null = null
  for (let start = 0; start < text.length; ) {
    const { deltaMs, letter, gap, end } = readPart(text, start)
    start = end
    at += deltaMs
    const isScheduled = letter !== 'C'
    const gapMs = gap === null ? at - (scheduledAt ?? at) : Number(gap)
    entries.push({ at, outcome: OUTCOMES[letter] ?? 'up', isScheduled, gapMs })
    if (isScheduled) scheduledAt = at
  }
  return entries
}

/** Leaves out what no judgement reads. */
function shorten(log: UptimeLog): UptimeLog {
  const recent = trim(log)
  if (recent.text.length <= MAX_LENGTH) return recent
  const entries = readEntries(recent)
  return write(recent, withoutOldest(entries, Math.ceil(entries.length / DROPPED_SHARE)))
}

/** Leaves out what lies before the window. A scheduled probe before it stays, since the next one's time begins there. */
function trim(log: UptimeLog): UptimeLog {
  const { text } = log
  const until = log.to - MEMORY_MS
  let kept = { at: log.from, letter: '', end: 0 }
  for (let start = 0, at = log.from; start < text.length; ) {
    const { deltaMs, letter, end } = readPart(text, start)
    start = end
    at += deltaMs
    if (at > until) break
    if (letter !== 'C') kept = { at, letter, end }
  }
  return kept.at === log.from
    ? log
    : { ...log, from: kept.at, text: `0${kept.letter}${text.slice(kept.end)}` }
}

/**
 * Drops some entries after the first, which begins the time of the next: the oldest successes, else looks without a
 * measurement, else the oldest. Their watched time is left to the next scheduled probe. Uptime is stated lower, never
 * higher.
 */
function withoutOldest(entries: readonly UptimeEntry[], count: number): UptimeEntry[] {
  const places = entries.flatMap((_, place) => (place === 0 ? [] : [place]))
  const rank = (place: number) => DROPPED_FIRST.indexOf(entries[place]?.outcome ?? 'up')
  const dropped = new Set(places.sort((a, b) => rank(a) - rank(b) || a - b).slice(0, count))
  let leftMs = 0
  return entries.flatMap((entry, place) => {
    if (dropped.has(place)) {
      leftMs += entry.isScheduled ? entry.gapMs : 0
      return []
    }
    if (!entry.isScheduled) return [entry]
    const gapMs = entry.gapMs + leftMs
    leftMs = 0
    return [{ ...entry, gapMs }]
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
