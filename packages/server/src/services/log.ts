import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseNote, parseSignerKey } from '@touchstone402/transparency'
import { createLogPublisher, createWitnessClient } from '@touchstone402/transparency/publisher'
import type { Context } from '../context.ts'
import type { NewLeaf } from '../facts/leaves.ts'
import { SCORE_VERSION } from '../judge/spec.ts'
import { createDecisionSigner } from '../keys/createDecisionSigner.ts'
import { messageOf } from '../lib/errors.ts'
import { readLogStart } from '../log/beginLog.ts'
import { logDays } from '../log/logDays.ts'
import { noteRefusal } from '../log/logState.ts'
import { logStorage } from '../log/logStorage.ts'
import { openNoteKey } from '../log/noteKeyFile.ts'
import { publishLogKey } from '../log/proveKeys.ts'
import { logAndProve } from '../log/proveLeaf.ts'
import { publishLog } from '../log/publishLog.ts'
import { createMapMaker, type MapMaker } from '../map/createMapMaker.ts'
import { keyLeaf, mapLeaf } from '../publish/leaves.ts'
import { readHead } from '../store/log.ts'
import type { Scope } from './scope.ts'

/** The log of the process that writes it. */
export type OpenLog = {
  /** Publishes until the signal fires. */
  run(signal: AbortSignal): Promise<void>
  /** Logs a leaf and publishes it at once. @returns its C2SP tlog-proof; undefined while too few witnesses sign */
  prove(leaf: NewLeaf): Promise<string | undefined>
}

/**
 * Opens the log for writing. One process at a time may do so.
 * @throws Error if the file of the private key is damaged, other users can read it, or the key is of another log
 */
export async function openLog(scope: Scope, ctx: Context): Promise<OpenLog> {
  const { store } = ctx
  let told: string | null | undefined
  const onRefusal = async (reason: string | null) => {
    if (reason !== told) await noteRefusal(store, reason, ctx.clock.now())
    told = reason
  }
  try {
    return await openSigned(scope, ctx, onRefusal)
  } catch (error) {
    await onRefusal(messageOf(error))
    throw error
  }
}

async function openSigned(
  scope: Scope,
  ctx: Context,
  onRefusal: (reason: string | null) => Promise<void>,
): Promise<OpenLog> {
  const { config, clock, store } = ctx
  const { warn } = scope
  const { signerKey, verifierKey } = await openNoteKey(
    config.log.keyFile ?? join(config.dataDir, 'log-key'),
    config.log.origin ?? `${new URL(config.publicUrl).host}/log`,
  )
  const signer = await parseSignerKey(signerKey)
  const [head, start] = await Promise.all([readHead(store), readLogStart(store)])
  const lines = head === null ? [] : parseNote(head.note).signatures
  const isOther =
    head !== null && !lines.some(({ name, keyId }) => name === signer.name && keyId === signer.keyId)
  if (isOther || (start !== undefined && start.key !== verifierKey)) {
    throw new Error(
      `${verifierKey} is not the key of this log: restore its key file, or begin another log with "touchstone-server log begin"`,
    )
  }
  ctx.log('info', `log opened with key ${verifierKey}`, { event: 'log_opened', key: verifierKey })
  await store.write('addLeaves', [keyLeaf('log', verifierKey, clock.now())])
  await publishLogKey(store, verifierKey, clock.now())
  const publisher = createLogPublisher({
    log: logStorage(store),
    signer,
    witnesses: config.log.witnesses.map((witness) => createWitnessClient(witness, verifierKey)),
    // Cosignatures keep real time, not the audit's clock.
    now: Date.now,
    onError: warn('log'),
  })
  let turn: Promise<unknown> = Promise.resolve()
  // One after another, so that the state that is told is that of the last one.
  const publish = () => {
    const published = turn.then(() => publishLog(publisher, onRefusal))
    turn = published.catch(() => undefined)
    return published
  }
  const publishAll = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await publish().catch(warn('log'))
      await sleep(config.log.everyMs, undefined, { signal }).catch(() => undefined)
    }
  }
  return {
    async run(signal) {
      await Promise.all([
        publishAll(signal),
        logDays({ store, clock, newSalt: ctx.ids.newSalt }, warn('log'), signal),
      ])
    },
    prove: (leaf) => logAndProve(store, publish, leaf),
  }
}

/**
 * Opens the maker of the map.
 * @param log where versions are logged first, if it could be opened
 * @throws Error if the signing key is unusable
 */
export async function openMap(
  { warn }: Scope,
  { config, clock, store }: Context,
  log: OpenLog | undefined,
): Promise<MapMaker['run']> {
  const maker = createMapMaker({
    store,
    files: store,
    signer: await createDecisionSigner({ directory: config.dataDir, file: config.signingKeyFile }),
    issuer: config.publicUrl,
    scoreVersion: SCORE_VERSION,
    clock,
    ...(log && {
      proveLeaf: ({ version, sha256 }) =>
        log.prove(mapLeaf(version, sha256, clock.now())).catch((error: unknown) => {
          warn('log')(error)
          return undefined
        }),
    }),
    onError: warn('map'),
  })
  return maker.run
}
