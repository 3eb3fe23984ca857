import { z } from 'zod'

/** Where records are kept. */
export type StorageConfig = {
  /** Null: in the data folder, which one process owns. */
  databaseUrl: string | null
  dataDir: string
  /** The key that signs verdicts; null: in the data folder. */
  signingKeyFile: string | null
}

/** The settings of where things are kept, by name. */
export const storageSettings = {
  DATABASE_URL: z
    .string()
    // The value may hold a password: it is never quoted.
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
    .optional(),
  DATA_DIR: z.string().min(1, 'is empty').default('.data'),
  SIGNING_KEY_FILE: z.string().min(1, 'is empty').optional(),
}

const StorageSettingsSchema = z.object(storageSettings)

/** That part of the configuration. */
export function readStorage(settings: z.infer<typeof StorageSettingsSchema>): StorageConfig {
  return {
    databaseUrl: settings.DATABASE_URL ?? null,
    dataDir: settings.DATA_DIR,
    signingKeyFile: settings.SIGNING_KEY_FILE ?? null,
  }
}

/**
 * Reads that part alone, for commands that need no more.
 * @throws Error with one line for each setting that is wrong
 */
export function readStorageConfig(environment: Readonly<Record<string, string | undefined>>): StorageConfig {
  const parsed = StorageSettingsSchema.safeParse(environment)
  if (parsed.success) return readStorage(parsed.data)
  throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('\n'))
}
