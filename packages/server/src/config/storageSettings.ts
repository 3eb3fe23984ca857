import { z } from 'zod'
import { describeProblems, text } from './settingKinds.ts'

/** Settings of storage, by name. */
export const storageSettings = {
  DATABASE_URL: z
    .string()
    // Never quote the value: it may hold a password.
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
    .optional(),
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
  dataDir: string
  /** Path of the key file; null for the one in the data folder. */
  signingKeyFile: string | null
}

/** Returns the storage part of the configuration. */
export function readStorage(settings: z.infer<typeof StorageSettingsSchema>): StorageConfig {
  return {
    databaseUrl: settings.DATABASE_URL ?? null,
    dataDir: settings.DATA_DIR,
    signingKeyFile: settings.SIGNING_KEY_FILE ?? null,
  }
}

/**
 * Reads only the storage part, for commands.
 * @throws Error with one line per wrong setting
 */
export function readStorageConfig(environment: Environment): StorageConfig {
  const parsed = StorageSettingsSchema.safeParse(environment)
  if (parsed.success) return readStorage(parsed.data)
  throw new Error(describeProblems(parsed.error).join('\n'))
}
