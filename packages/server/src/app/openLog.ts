import { join } from 'node:path'
import { parseNote, parseSignerKey } from '@touchstone402/shared/notes'
import { type NoteKey, openNoteKey } from '../adapters/signing/noteKeyFile.ts'
import { keyLeaf } from '../domain/publish/leaves.ts'
import { createWitnessClient } from '../log/askWitness.ts'
import { createLogPublisher, type LogPublisher } from '../log/createLogPublisher.ts'
import { logDays } from '../log/logDays.ts'
import type { Store } from '../ports/store.ts'
import type { Scope } from './scope.ts'

/**
 * Opens the log's private key.
 * @throws Error if its file is damaged or other users can read it
 */
export function openLogKey({ config }: Scope): Promise<NoteKey> {
  const { origin, keyFile } = config.log
  const path = keyFile ?? join(config.dataDir, 'log-key')
  return openNoteKey(path, origin ?? `${new URL(config.publicUrl).host}/log`)
}

/** The log of the process that writes it. */
export type OpenLog = {
  /** Publishes until the signal fires. */
  run(signal: AbortSignal): Promise<void>
  readonly prove: LogPublisher['prove']
}

/**
 * Opens the log for writing. One process at a time may do so.
 * @throws Error if the private key is unusable or of another log
 */
export async function openLog(scope: Scope, store: Store): Promise<OpenLog> {
  const { config, clock, newSalt, warn } = scope
  const { log } = store
  const { signerKey, verifierKey } = await openLogKey(scope)
  const signer = await parseSignerKey(signerKey)
  const head = await log.head()
  const lines = head === null ? [] : parseNote(head.note).signatures
  if (head !== null && !lines.some(({ name, keyId }) => name === signer.name && keyId === signer.keyId)) {
    throw new Error(`${verifierKey} is not the key of this log: restore its key file`)
  }
  scope.log('info', `log: its key is ${verifierKey}`)
  await log.add([keyLeaf('log', verifierKey, clock.now())])
  const publisher = createLogPublisher({
    log,
    signer,
    witnesses: config.log.witnesses.map(createWitnessClient),
    // Cosignatures keep real time, not the audit's clock.
    now: Date.now,
    everyMs: config.log.everyMs,
    onError: warn('log'),
  })
  return {
    async run(signal) {
      await Promise.all([publisher.run(signal), logDays({ store, clock, newSalt }, warn('log'), signal)])
    },
    prove: publisher.prove,
  }
}
