import { setTimeout as sleep } from 'node:timers/promises'
import {
  formatCheckpoint,
  type NoteSignature,
  type NoteSigner,
  parseNote,
  rootOf,
  signNote,
} from '@touchstone402/transparency'
import { messageOf } from '../errors.ts'
import type { NewLeaf } from '../facts/leaves.ts'
import { MINUTE } from '../facts/times.ts'
import type { LogHead, LogStore } from '../ports/log.ts'
import type { WitnessClient } from './askWitness.ts'
import { continues, isWhole, proveEntry, readTree } from './createLogTree.ts'

export type LogPublisherDeps = {
  readonly log: LogStore
  /** Signs checkpoints; its name is the log's origin. */
  readonly signer: NoteSigner
  readonly witnesses: readonly WitnessClient[]
  /** Unix time in ms; real, since cosignatures are. */
  readonly now: () => number
  /** Pause between two publications in ms. */
  readonly everyMs: number
  /** Receives refusals of witnesses, and the reason why nothing was published. */
  readonly onError: (error: unknown) => void
  /** Receives why nothing is signed, or null when a checkpoint is signed again. @default ignored */
  readonly onRefusal?: (reason: string | null) => Promise<void>
}

/** Gives waiting leaves their places and publishes checkpoints. One process at a time may run it. */
export type LogPublisher = {
  /**
   * Publishes a checkpoint over everything that waited, if anything did or its cosignatures age.
   * @returns the published checkpoint
   * @throws Error if the store lacks leaves that were signed, or a witness knows that it does: nothing is signed then
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
/** Time for which too few witnesses are waited for, before the first signature and for a newer checkpoint. */
const PATIENCE_MS = 10 * MINUTE
const WAY_BACK =
  'put the newest back-up in its place, or stop the service and begin another log with "touchstone-server log begin"'

/** Creates the publisher of a log. */
export function createLogPublisher(deps: LogPublisherDeps): LogPublisher {
  const { log, signer, witnesses, now, onError, onRefusal = async () => {} } = deps
  const quorum = witnesses.length === 0 ? 0 : Math.floor(witnesses.length / 2) + 1
  const startedAt = now()
  let hasAsked = false

  /**
   * Compares the store with what the witnesses cosigned last: an older back-up lacks it, and a signature over that would
   * show two histories. Any two majorities share a witness, so one that answers knows the last tree that had a quorum.
   * With fewer answers it waits, but not for ever: a witness that is gone must not end the log, and what it alone knows
   * cannot be known.
   * @throws Error if one of them cosigned what the store does not continue, or too few answer and it waits
   */
  const askWitnesses = async (size: number): Promise<void> => {
    const answers = await Promise.allSettled(witnesses.map((witness) => witness.latest()))
    let answered = 0
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 'rejected') {
        if (!hasAsked) onError(answer.reason)
        continue
      }
      answered++
      const known = answer.value
      if (known === undefined || (await continues(log, size, known))) continue
      hasAsked = false
      throw new Error(
        `witness ${witnesses[index]?.name} cosigned ${known.size} leaves that the store does not continue, which has ${size}; nothing is signed: ${WAY_BACK}`,
      )
    }
    if (answered < quorum && !hasAsked && now() - startedAt < PATIENCE_MS)
      throw new Error(
        `${answered} of ${witnesses.length} witnesses answer; nothing is signed before ${quorum} do, or 10 minutes after the start`,
      )
    hasAsked = true
  }

  /** Whether a time is at most some ms ago. One from the future, which a clock left that was ahead, is not. */
  const isWithin = (at: number, ms: number) => at <= now() && now() - at < ms

  const publishNow = async (): Promise<LogHead | null> => {
    while ((await log.sequence(BATCH)) === BATCH);
    const [head, size] = [await log.head(), await log.size()]
    const isIdle = head === null ? size === 0 : isCurrent(head, size)
    if (isIdle && hasAsked) return head
    if (head !== null && !(await isWhole(log, head)))
      throw new Error(`the store does not hold the ${head.size} leaves that were signed: ${WAY_BACK}`)
    if (!hasAsked) await askWitnesses(size)
    if (isIdle) return head
    const read = readTree(log, size)
    const checkpoint = { origin: signer.name, size, root: await rootOf(size, read) }
    const note = await signNote(formatCheckpoint(checkpoint), [signer])
    const asked = await Promise.allSettled(witnesses.map((witness) => witness.cosign(checkpoint, note, read)))
    const cosignatures: NoteSignature[] = []
    for (const answer of asked) {
      if (answer.status === 'fulfilled') cosignatures.push(answer.value)
      else onError(answer.reason)
    }
    // Who refuses, or was not there at the start, may know of another tree.
    if (cosignatures.length < witnesses.length) await askWitnesses(size)
    if (cosignatures.length < quorum && head !== null && isWithin(head.at, PATIENCE_MS)) return head
    const { text, signatures } = parseNote(note)
    const next = { note: await signNote(text, [], [...signatures, ...cosignatures]), size, at: now() }
    await log.putHead(next)
    return next
  }

  const publishOrTell = async (): Promise<LogHead | null> => {
    try {
      const head = await publishNow()
      await onRefusal(null)
      return head
    } catch (error) {
      await onRefusal(messageOf(error))
      throw error
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  /** One publication at a time: two would sign two trees of one size. */
  const publish = (): Promise<LogHead | null> => {
    const next = last.then(publishOrTell)
    last = next.catch(() => undefined)
    return next
  }

  const isCurrent = (head: LogHead, size: number) =>
    head.size === size && (witnesses.length === 0 || isWithin(head.at, COSIGN_AGAIN_MS))

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
