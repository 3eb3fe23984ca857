import { join, resolve } from 'node:path'
import { isKeyName } from '@touchstone402/transparency'
import { createHostLeases } from '../audit/hostLeases.ts'
import { readLogConfig } from '../config/logSettings.ts'
import { type Environment, readStorageConfig } from '../config/storageSettings.ts'
import { LEADER } from '../crawl/createLeader.ts'
import { systemClock } from '../lib/clock.ts'
import { type BegunLog, beginLog } from '../log/beginLog.ts'
import { openStore } from '../services/openStore.ts'
import type { Store } from '../store/store.ts'

type Given = {
  readonly origin: string | undefined
  readonly 'without-witnesses': boolean
}

/**
 * Begins another log in place of the one of the store, while the service is stopped.
 * @returns a summary
 * @throws Error with the reason if it fails
 */
export async function runLogBegin(given: Given, environment: Environment): Promise<string> {
  const { databaseUrl, dataDir } = readStorageConfig(environment)
  const config = readLogConfig(environment)
  const { origin = config.origin } = given
  if (origin === null || !isKeyName(origin))
    throw new Error(
      'log begin takes one origin without spaces or plus, such as log begin trust.example/log2, or LOG_ORIGIN',
    )
  const keyFile = resolve(config.keyFile ?? join(dataDir, 'log-key'))
  const store = await openStore({ databaseUrl, dataDir })
  try {
    const begun = await leadAlone(store, (checkAlone) =>
      beginLog({
        store,
        keyFile,
        origin,
        witnesses: config.witnesses,
        withoutWitnesses: given['without-witnesses'],
        folder: resolve(dataDir, 'ended-logs'),
        now: Date.now,
        checkAlone,
      }),
    )
    return begun === null
      ? `${origin} has begun before: start the service, which signs it.`
      : describe(begun, { origin, keyFile, isShared: databaseUrl !== null })
  } finally {
    await store.close()
  }
}

/** Does work as the leader of all processes on the store. A data folder is locked by now. */
async function leadAlone<T>(store: Store, work: (checkAlone: () => void) => Promise<T>): Promise<T> {
  const lease = await store.write('takeLease', LEADER)
  if (lease === null)
    throw new Error(
      'a process leads the crawl and writes the log: stop every process; the lease of a dead one ends after 30 seconds',
    )
  const held = createHostLeases({ store, clock: systemClock, log: () => {} }).adopt(lease)
  try {
    return await work(() => held.signal.throwIfAborted())
  } finally {
    await held.leave()
  }
}

type Place = { readonly origin: string; readonly keyFile: string; readonly isShared: boolean }

function describe({ key, previous, files }: BegunLog, { origin, keyFile, isShared }: Place): string {
  return [
    `${origin} has begun. Its first leaf names the newest known checkpoint of ${previous.origin}: ${previous.size} leaves.`,
    `Its key is ${key}`,
    'Witnesses (WITNESS_LOGS), guards and readers refuse it until they are given this key.',
    `The key is in ${keyFile}; the one before lies beside it and signs nothing any more.`,
    ...(isShared ? ['Copy the key file to every machine whose processes crawl.'] : []),
    files === null
      ? `No files of ${previous.origin} were written: the store does not have it whole.`
      : `${previous.origin}, as far as this store has it, is in ${files}: any web server can serve it.`,
  ].join('\n')
}
