import { isKeyName, LogError, NoteError, parseWitnessKey, readLogPolicy } from '@touchstone402/transparency'
import { z } from 'zod'
import {
  describeProblems,
  findTwice,
  integer,
  list,
  optionalList,
  stopSettings,
  text,
  withoutEmpty,
} from './settingKinds.ts'
import type { Environment } from './storageSettings.ts'

/** Configuration of the log. */
export type LogConfig = {
  /** First line of checkpoints of a new log; null for the public host and `/log`. */
  readonly origin: string | null
  /** Path of the log's private key; null for the one in the data folder. */
  readonly keyFile: string | null
  readonly witnesses: readonly { readonly url: string; readonly key: string }[]
  /** Pause between two checkpoints in ms. */
  readonly everyMs: number
}

/** Settings of the log, by name. */
export const logSettings = {
  LOG_ORIGIN: text().refine(isKeyName, 'must be a name without spaces or plus').optional(),
  LOG_KEY_FILE: text().optional(),
  LOG_WITNESSES: optionalList().transform((items, context) => {
    const witnesses = items.flatMap((item) => {
      const [url = '', key = '', ...more] = item.split(/\s+/)
      const problem =
        /^https?:\/\//.test(url) && URL.canParse(url) && more.length === 0
          ? explain(key, parseWitnessKey)
          : 'an http or https URL is missing'
      if (problem === undefined) return [{ url: url.replace(/\/+$/, ''), key }]
      context.addIssue(`"${item}" must be a URL, a space and the witness' key: ${problem}`)
      return []
    })
    const twice = findTwice(witnesses, ({ url }) => url)?.url ?? findTwice(witnesses, ({ key }) => key)?.key
    if (twice !== undefined) context.addIssue(`names ${twice} twice: one witness is no majority`)
    return witnesses
  }),
  LOG_INTERVAL_SECONDS: integer(1, 600, 60),
}

/** Returns the log's part of the configuration. */
export function readLog(settings: z.infer<z.ZodObject<typeof logSettings>>): LogConfig {
  return {
    origin: settings.LOG_ORIGIN ?? null,
    keyFile: settings.LOG_KEY_FILE ?? null,
    witnesses: settings.LOG_WITNESSES,
    everyMs: settings.LOG_INTERVAL_SECONDS * 1000,
  }
}

/**
 * Reads only the log's part, for commands.
 * @throws Error with one line per wrong setting
 */
export function readLogConfig(environment: Environment): LogConfig {
  const parsed = z.object(logSettings).safeParse(withoutEmpty(logSettings, environment))
  if (parsed.success) return readLog(parsed.data)
  throw new Error(describeProblems(parsed.error).join('\n'))
}

const WitnessSettingsSchema = z.object({
  WITNESS_NAME: text()
    .refine(isKeyName, 'must be a name without spaces or plus')
    .default('touchstone-witness'),
  WITNESS_LOGS: list('keys of the logs to witness').transform((keys, context) => {
    for (const key of keys) {
      const problem = explain(key, (text) => readLogPolicy({ key: text }))
      if (problem !== undefined) context.addIssue(`"${key}": ${problem}`)
    }
    return keys
  }),
  WITNESS_DATA_DIR: text().default('.witness'),
  WITNESS_HOST: text().default('127.0.0.1'),
  WITNESS_PORT: integer(0, 65535, 8403),
  ...stopSettings,
})

/** Settings of a witness, by name. */
export const WITNESS_SETTINGS: Readonly<Record<string, z.ZodType>> = WitnessSettingsSchema.shape

/**
 * Reads the settings of a witness; `logs` are the public keys of the witnessed logs.
 * @throws Error with one line per missing or wrong setting
 */
export function readWitnessSettings(environment: Environment) {
  const parsed = WitnessSettingsSchema.safeParse(withoutEmpty(WITNESS_SETTINGS, environment))
  if (!parsed.success) throw new Error(describeProblems(parsed.error).join('\n'))
  const { WITNESS_NAME, WITNESS_LOGS, WITNESS_DATA_DIR, WITNESS_HOST, WITNESS_PORT, STOP_SECONDS } =
    parsed.data
  return {
    name: WITNESS_NAME,
    logs: WITNESS_LOGS,
    dataDir: WITNESS_DATA_DIR,
    host: WITNESS_HOST,
    port: WITNESS_PORT,
    stopMs: STOP_SECONDS * 1000,
  }
}

/** Returns why a key cannot be parsed. */
function explain(key: string, parse: (key: string) => unknown): string | undefined {
  try {
    parse(key)
    return undefined
  } catch (error) {
    if (error instanceof NoteError || error instanceof LogError) return error.message
    throw error
  }
}
