import { setTimeout as sleep } from 'node:timers/promises'
import { formatCheckpoint, rootOf } from '@touchstone402/shared/log'
import { type NoteSignature, type NoteSigner, parseNote, signNote } from '@touchstone402/shared/notes'
import type { NewLeaf } from '../facts/leaves.ts'
import { MINUTE } from '../facts/times.ts'
import type { LogHead, LogStore } from '../ports/log.ts'
import type { WitnessClient } from './askWitness.ts'
import { isWhole, proveEntry, readTree } from './createLogTree.ts'

export type LogPublisherDeps = {
  readonly log: LogStore
  /** Signs checkpoints; its name is the log's origin. */
  readonly signer: NoteSigner
  readonly witnesses: readonly WitnessClient[]
  /** Unix time in ms; real, since cosignatures are. */
  readonly now: () => number
  /** Pause between two publications in ms. */
  readonly everyMs: number
  /** Receives what a witness refused, and why nothing was published. */
  readonly onError: (error: unknown) => void
}

/** Gives waiting leaves their places and publishes checkpoints. One process at a time may run it. */
export type LogPublisher = {
  /**
   * Publishes a checkpoint over everything that waited, if anything did or its cosignatures age.
   * @returns the published checkpoint
   * @throws Error if the store lacks leaves that were signed: nothing is signed then
   */
  publish(): Promise<LogHead | null>
  /** Logs a leaf and publishes it at once. @returns its C2SP tlog-proof; undefined while too few witnesses sign */
  prove(leaf: NewLeaf): Promise<string | undefined>
  /** Publishes until the signal fires. */
  run(signal: AbortSignal): Promise<void>
}

/** Leaves that get their places in one write. */
const BATCH = 4_096
/** Age at which a checkpoint is cosigned again; cosignatures count for two hours. */
const COSIGN_AGAIN_MS = 30 * MINUTE
/** Time for which an older checkpoint is kept if too few witnesses sign the newer one. */
const PATIENCE_MS = 10 * MINUTE

/** Creates the publisher of a log. */
export function createLogPublisher(deps: LogPublisherDeps): LogPublisher {
  const { log, signer, witnesses, now, onError } = deps

  const publishNow = async (): Promise<LogHead | null> => {
    while ((await log.sequence(BATCH)) === BATCH);
    const [head, size] = [await log.head(), await log.size()]
    if (head === null ? size === 0 : isCurrent(head, size)) return head
    if (head !== null && !(await isWhole(log, head))) {
      throw new Error(
        `the store does not hold the ${head.size} leaves that were signed: put the newest back-up in its place`,
      )
    }
    const read = readTree(log, size)
    const checkpoint = { origin: signer.name, size, root: await rootOf(size, read) }
    const note = await signNote(formatCheckpoint(checkpoint), [signer])
    const asked = await Promise.allSettled(witnesses.map((witness) => witness.cosign(checkpoint, note, read)))
    const cosignatures: NoteSignature[] = []
    for (const answer of asked) {
      if (answer.status === 'fulfilled') cosignatures.push(answer.value)
      else onError(answer.reason)
    }
    const quorum = witnesses.length === 0 ? 0 : Math.floor(witnesses.length / 2) + 1
    if (cosignatures.length < quorum && head !== null && now() - head.at < PATIENCE_MS) return head
    const { text, signatures } = parseNote(note)
    const next = { note: await signNote(text, [], [...signatures, ...cosignatures]), size, at: now() }
    await log.putHead(next)
    return next
  }

  let last: Promise<unknown> = Promise.resolve()
  /** One publication at a time: two would sign two trees of one size. */
  const publish = (): Promise<LogHead | null> => {
    const next = last.then(publishNow)
    last = next.catch(() => undefined)
    return next
  }

  const isCurrent = (head: LogHead, size: number) =>
    head.size === size && (witnesses.length === 0 || now() - head.at < COSIGN_AGAIN_MS)

  return {
    publish,
    async prove(leaf) {
      await log.add([leaf])
      await publish()
      const index = await log.find(leaf.key)
      return typeof index === 'number' ? (await proveEntry(log, index))?.proof : undefined
    },
    async run(signal) {
      while (!signal.aborted) {
        await publish().catch(onError)
        await sleep(deps.everyMs, undefined, { signal }).catch(() => undefined)
      }
    },
  }
}
