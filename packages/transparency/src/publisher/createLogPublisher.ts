import { formatCheckpoint } from '../checkpoint/checkpoint.ts'
import { LogError } from '../checkpoint/logError.ts'
import { majorityOf } from '../checkpoint/policy.ts'
import { type NoteSignature, parseNote, signNote } from '../notes/note.ts'
import type { NoteSigner } from '../notes/noteKey.ts'
import { rootOf } from '../tree/tree.ts'
import type { LogHead, LogStorage } from './storage.ts'
import { continues, isWhole, readTree } from './storedTree.ts'
import type { WitnessClient } from './witnessClient.ts'

export type LogPublisherOptions = {
  readonly log: LogStorage
  /** Signs checkpoints; its name is the log's origin. */
  readonly signer: NoteSigner
  readonly witnesses: readonly WitnessClient[]
  /** Returns Unix time in ms; the real time, which cosignatures state. */
  readonly now: () => number
  /** Receives why a witness refused or did not answer. */
  readonly onError: (error: unknown) => void
}

/** Gives waiting entries their places and publishes checkpoints. One process at a time may run it. */
export type LogPublisher = {
  /**
   * Publishes a checkpoint over everything that waited, if anything did or its cosignatures age. Calls run one after the
   * other.
   * @returns the published checkpoint
   * @throws LogError `inconsistent` if the storage lacks entries that were signed, or a witness knows that it does;
   * `too_few_witnesses` while too few answer after the start. Nothing is signed then
   */
  publish(): Promise<LogHead | null>
}

const MINUTE = 60_000
/** Entries that get their places in one write. */
const BATCH = 4_096
/** Age at which a checkpoint is cosigned again; cosignatures count for two hours. */
const COSIGN_AGAIN_MS = 30 * MINUTE
/** Time for which too few witnesses are waited for, before the first signature and for a newer checkpoint. */
const PATIENCE_MS = 10 * MINUTE

/** Creates the publisher of a log. */
export function createLogPublisher({
  log,
  signer,
  witnesses,
  now,
  onError,
}: LogPublisherOptions): LogPublisher {
  const quorum = majorityOf(witnesses.length)
  const startedAt = now()
  let hasAsked = false

  /**
   * Compares the storage with what the witnesses cosigned last: an older back-up lacks it, and a signature over that
   * would show two histories. Any two majorities share a witness, so one that answers knows the last tree that had a
   * quorum. With fewer answers it waits, but not for ever: a witness that is gone must not end the log, and what it alone
   * knows cannot be known.
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
      throw new LogError(
        'inconsistent',
        `witness ${witnesses[index]?.name} cosigned ${known.size} leaves that the store does not continue, which has ${size}; nothing is signed`,
      )
    }
    if (answered < quorum && !hasAsked && now() - startedAt < PATIENCE_MS) {
      throw new LogError(
        'too_few_witnesses',
        `${answered} of ${witnesses.length} witnesses answer; nothing is signed before ${quorum} do, or 10 minutes after the start`,
      )
    }
    hasAsked = true
  }

  /** Whether a time is less than some ms ago. A time in the future, from a clock that was ahead, is not. */
  const isWithin = (at: number, ms: number) => at <= now() && now() - at < ms

  const isCurrent = (head: LogHead, size: number) =>
    head.size === size && (witnesses.length === 0 || isWithin(head.at, COSIGN_AGAIN_MS))

  const publishNow = async (): Promise<LogHead | null> => {
    while ((await log.sequence(BATCH)) === BATCH);
    const [head, size] = [await log.head(), await log.size()]
    const isIdle = head === null ? size === 0 : isCurrent(head, size)
    if (isIdle && hasAsked) return head
    if (head !== null && !(await isWhole(log, head))) {
      throw new LogError('inconsistent', `the store does not hold the ${head.size} leaves that were signed`)
    }
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
    // A witness that refuses, or did not answer at the start, may know another tree.
    if (cosignatures.length < witnesses.length) await askWitnesses(size)
    if (cosignatures.length < quorum && head !== null && isWithin(head.at, PATIENCE_MS)) return head
    const { text, signatures } = parseNote(note)
    const next = { note: await signNote(text, [], [...signatures, ...cosignatures]), size, at: now() }
    await log.putHead(next)
    return next
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    publish() {
      // One publication at a time: two would sign two trees of one size.
      const next = last.then(publishNow)
      last = next.catch(() => undefined)
      return next
    },
  }
}
