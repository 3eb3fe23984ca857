import { pino } from 'pino'

/** Log levels, most verbose first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Writes one JSON line per event. Redacts fields with secret names. */
export type Logger = {
  [Level in LogLevel]: (message: string, fields?: Readonly<Record<string, unknown>>) => void
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
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

const MAX_TEXT = 2000

function bounded(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? bound(value) : value]),
  )
}

// Fields may hold text of sellers, of any length.
function bound(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

// Every line starts with its level.
function toStandardStreams(line: string): void {
  const isTrouble = /^\{"level":"(warn|error)"/.test(line)
  ;(isTrouble ? process.stderr : process.stdout).write(line)
}
