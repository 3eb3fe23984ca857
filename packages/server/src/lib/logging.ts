import { pino } from 'pino'
import { hideSecrets } from './hideSecrets.ts'
import { type Output, STANDARD_STREAMS } from './output.ts'

/** Log levels, most verbose first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number]

type Fields = Readonly<Record<string, unknown>>

/** Stable name of an event, and its figures. */
export type EventFields = Fields & { readonly event: string }

/** Receives log lines for the operator: a sentence, and the same for machines. */
export type Log = (level: 'info' | 'warn', message: string, fields: EventFields) => void

/**
 * Writes one JSON line per event. Redacts fields with secret names, and secrets in URLs. An equal warning is written again
 * only once a minute, with the number of times.
 */
export type Logger = {
  [Level in LogLevel]: (message: string, fields?: Fields) => void
}

/** Options of {@link createLogger}. */
export type LoggerOptions = {
  /** @default 'info' */
  level?: LogLevel
  /** Receives whole lines. @default standard output; warnings and errors to standard error */
  write?: (line: string) => void
}

const SECRETS = [
  'authorization',
  'cookie',
  'payment-signature',
  'x-payment',
  'signature',
  'privateKey',
  'secret',
  'password',
  'apiKey',
  'accessToken',
]

// Covers `{ headers: { … } }` and `{ request: { headers: { … } } }`.
const REDACTED = SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])

// Characters that terminals interpret and JSON does not escape: C1 controls, line separators, direction marks.
const ACTIVE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Creates the logger of the process. */
export function createLogger({ level = 'info', write = toStandardStreams }: LoggerOptions = {}): Logger {
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, censor: '[redacted]' },
      depthLimit: 4,
      edgeLimit: 50,
    },
    { write: (line: string) => write(line.replace(ACTIVE, escapeCharacter)) },
  )
  const at =
    (name: LogLevel): Logger[LogLevel] =>
    (message, fields = {}) => {
      // Skips the work for disabled levels: every request is logged at debug.
      if (log.isLevelEnabled(name)) log[name](bounded(fields), bound(message))
    }
  return { debug: at('debug'), info: at('info'), warn: countRepeats(at('warn')), error: at('error') }
}

const REPEAT_MS = 60_000
/** Number of different warnings whose repeats are counted; others are written each time. */
const MOST_COUNTED = 1000

/** Writes the first of equal warnings at once, and their number each minute for as long as they repeat. */
function countRepeats(write: Logger['warn']): Logger['warn'] {
  const counted = new Map<string, Counted>()
  let timer: NodeJS.Timeout | undefined
  const report = () => {
    for (const [message, { times, wasSaid, fields, ids }] of counted) {
      if (times > 1 || (times === 1 && !wasSaid)) {
        const number = times === 1 ? 'once' : `${times} times`
        write(`${message} (${number} in the last minute)`, { ...fields, ...ids, times })
      }
      // Its next one is counted too, unless it has rested for a minute.
      if (times === 0) counted.delete(message)
      else counted.set(message, { times: 0, wasSaid: false, fields, ids: {} })
    }
    if (counted.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return (message, fields = {}) => {
    const known = counted.get(message)
    if (known !== undefined) {
      known.times++
      known.fields = fields
      keepIds(known.ids, fields)
      return
    }
    write(message, fields)
    if (counted.size === MOST_COUNTED) return
    counted.set(message, { times: 1, wasSaid: true, fields, ids: keepIds({}, fields) })
    timer ??= setInterval(report, REPEAT_MS).unref()
  }
}

/** Fields that tell equal warnings apart, and the names under which a merged line lists them. */
const IDS = { requestId: 'requestIds', receipt: 'receipts' } as const
/** Number of values that a merged line lists. */
const MOST_IDS = 50

type Ids = Partial<Record<(typeof IDS)[keyof typeof IDS], string[]>>

type Counted = { times: number; wasSaid: boolean; fields: Fields; readonly ids: Ids }

function keepIds(ids: Ids, fields: Fields): Ids {
  for (const [one, many] of Object.entries(IDS)) {
    const value = fields[one]
    if (typeof value !== 'string') continue
    const kept = ids[many] ?? []
    ids[many] = kept
    if (kept.length < MOST_IDS) kept.push(bound(value))
  }
  return ids
}

const MAX_TEXT = 2000

function bounded(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? bound(value) : value]),
  )
}

// Fields may hold text of sellers, of any length.
function bound(text: string): string {
  return hideSecrets(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Returns a function that sends log lines to one of two streams: warnings and errors to `err`. */
export const splitByLevel =
  ({ out, err }: Output) =>
  (line: string): void => {
    // Every line starts with its level.
    const isTrouble = /^\{"level":"(warn|error)"/.test(line)
    if (isTrouble) err(line)
    else out(line)
  }

const toStandardStreams = splitByLevel(STANDARD_STREAMS)
