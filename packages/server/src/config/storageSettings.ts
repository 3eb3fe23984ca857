import { z } from 'zod'
import { describeProblems, integer, text, withoutEmpty } from './settingKinds.ts'

/** Settings of storage, by name. */
export const storageSettings = {
  DATABASE_URL: z
    .string()
    // Never quote the value: it may hold a password.
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
    .optional(),
  DATABASE_PATIENCE_SECONDS: integer(1, 86_400, 300),
  DATA_DIR: text().default('.data'),
  SIGNING_KEY_FILE: text().optional(),
}

const StorageSettingsSchema = z.object(storageSettings)

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where records are kept. */
export type StorageConfig = {
  /** Null to keep records in the data folder, which one process owns. */
  databaseUrl: string | null
  /** Time without a database after which a process ends, in ms. @default 300000 */
  databasePatienceMs: number
  dataDir: string
  /** Path of the key file; null for the one in the data folder. */
  signingKeyFile: string | null
}

/** Returns the storage part of the configuration. */
export function readStorage(settings: z.infer<typeof StorageSettingsSchema>): StorageConfig {
  return {
    databaseUrl: settings.DATABASE_URL ?? null,
    databasePatienceMs: settings.DATABASE_PATIENCE_SECONDS * 1000,
    dataDir: settings.DATA_DIR,
    signingKeyFile: settings.SIGNING_KEY_FILE ?? null,
  }
}

/**
 * Reads only the storage part, for commands.
 * @throws Error with one line per wrong setting
 */
export function readStorageConfig(environment: Environment): StorageConfig {
  const parsed = StorageSettingsSchema.safeParse(withoutEmpty(storageSettings, environment))
  if (parsed.success) return readStorage(parsed.data)
  throw new Error(describeProblems(parsed.error).join('\n'))
}
