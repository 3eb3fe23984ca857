import { resolve } from 'node:path'
import { readMapHeader } from '@touchstone402/shared/map'
import { parseCheckpoint, parseNote } from '@touchstone402/transparency'
import { readLogConfig } from '../config/logSettings.ts'
import { type Environment, readStorageConfig } from '../config/storageSettings.ts'
import { toTimestamp } from '../facts/times.ts'
import { describeNewKey, findMissing, keyFilesOf } from '../keys/lostKeys.ts'
import type { Output } from '../lib/output.ts'
import { LATEST, readMapFile } from '../store/documents.ts'
import { readNewestAt } from '../store/endpoints.ts'
import { readHead, readLogSize } from '../store/log.ts'
import { restoreBackUp } from '../store/restore.ts'
import type { Store } from '../store/store.ts'
import { withStore } from './withStore.ts'

type Given = {
  readonly file: string | undefined
  readonly check: boolean
  readonly 'new-keys': boolean
}

/**
 * Puts a back-up into an empty data folder, or with `--check` only reads a store that was restored by other tools.
 * @returns what must not go back in time, and the commands for it
 * @throws Error with the reason if it fails, or a key file is missing and new keys were not asked for
 */
export async function runRestore(
  { file, check, 'new-keys': takesNewKeys }: Given,
  environment: Environment,
  { out }: Output,
): Promise<string> {
  if ((file === undefined) !== check)
    throw new Error('restore takes one back-up, such as /backups/2026-06-01.db, or --check')
  const { databaseUrl, dataDir, signingKeyFile } = readStorageConfig(environment)
  if (file !== undefined && databaseUrl !== null)
    throw new Error('DATABASE_URL is set: restore the database with pg_restore, then run restore --check')
  const files = Object.values(keyFilesOf({ dataDir, signingKeyFile, log: readLogConfig(environment) }))
  const missing = (await findMissing(files)).map((file) => describeNewKey(file, takesNewKeys))
  const refusal =
    missing.length > 0 && !takesNewKeys ? new Error([...missing, ASK_FOR_NEW_KEYS].join('\n')) : undefined
  if (refusal !== undefined && !check) throw refusal
  const first: string[] = []
  if (file !== undefined) {
    const bytes = await restoreBackUp(resolve(file), resolve(dataDir))
    first.push(`${resolve(dataDir)} holds ${resolve(file)}: ${(bytes / 1024 / 1024).toFixed(1)} MB.`)
  }
  const lines = [...first, ...(await withStore(environment, describePast))]
  if (refusal === undefined) return [...lines, ...missing].join('\n')
  out(`${lines.join('\n')}\n`)
  throw refusal
}

const ASK_FOR_NEW_KEYS = 'Put the key files back and run this again. If they are lost, add --new-keys.'

/** Describes what must not go back in time. */
async function describePast(store: Store): Promise<string[]> {
  const [head, size, latest, verdictAt] = await Promise.all([
    readHead(store),
    readLogSize(store),
    readMapFile(store, LATEST),
    readNewestAt(store),
  ])
  const map = latest === undefined ? undefined : readMapHeader(parseNote(latest).text)
  const at = Math.max(verdictAt ?? 0, head?.at ?? 0, map?.issuedAt ?? 0)
  const signed =
    head === null
      ? 'none is signed'
      : `${parseCheckpoint(parseNote(head.note).text).origin} signed ${head.size} of them at ${toTimestamp(head.at)}`
  return [
    at === 0 ? 'Nothing is recorded in it.' : `It ends at ${toTimestamp(at)}. What must not go back in time:`,
    `- log: it has ${size} leaves; ${signed}. The service asks the witnesses in LOG_WITNESSES before it signs, and signs nothing if they know more. Without witnesses, compare the newest checkpoint that a reader knows. If leaves are missing, take a newer back-up, or begin another log: touchstone-server log begin NEW_ORIGIN`,
    `- map: ${map === undefined ? 'none' : `version ${map.version}`}. The service goes on with a higher version than its usual pace can have reached since.`,
    '- payments: those made since are missing. The chain refuses their authorizations, and their answers cannot be fetched again: compare the transfers to PAY_TO.',
    '- a witness on this machine: keep its folder as it is. One that lost it begins with a new key.',
  ]
}
