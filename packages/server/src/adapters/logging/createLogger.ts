import { pino } from 'pino'

/** Levels of the log, most telling first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Writes one JSON line an event. Fields that carry secrets are left out whatever they are called with. */
export type Logger = {
  [Level in LogLevel]: (message: string, fields?: Readonly<Record<string, unknown>>) => void
}

export type LoggerOptions = {
  /** @default 'info' */
  level?: LogLevel
  /** Takes whole lines. @default standard output, warnings and errors to standard error */
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

// A depth of two covers `{ headers: { … } }` and `{ request: { headers: { … } } }`.
const REDACTED = SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])

// JSON leaves these as they are, and terminals act on them: C1 controls, line separators, direction marks.
const ACTIVE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Creates the log of the process. */
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
      // Each request is told to it, and at most levels nobody listens.
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

// What sellers say may be in here, and they may say much.
function bound(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

// The level is what a line begins with.
function toStandardStreams(line: string): void {
  const isTrouble = /^\{"level":"(warn|error)"/.test(line)
  ;(isTrouble ? process.stderr : process.stdout).write(line)
}
