import { openNote, parseNote } from '../notes/note.ts'
import { NoteError } from '../notes/noteError.ts'
import { type NoteVerifier, parseVerifierKey } from '../notes/noteKey.ts'
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts'
import { cosignedAt, parseWitnessKey } from './cosignature.ts'
import { LogError } from './logError.ts'

/** Which log is believed, and which witnesses must have seen its checkpoints. */
export type LogPolicy = {
  /** Public key of the log, `name+id+base64`. */
  readonly key: string
  /** First line of the log's checkpoints. @default the name of its key */
  readonly origin?: string | undefined
  /** Public keys of witnesses. @default none */
  readonly witnesses?: readonly string[] | undefined
  /** Number of witnesses that must have cosigned. @default more than half of them; 0 without any */
  readonly quorum?: number | undefined
}

/** A policy whose keys are parsed. */
export type ReadPolicy = {
  readonly origin: string
  readonly log: NoteVerifier
  readonly witnesses: readonly NoteVerifier[]
  readonly quorum: number
}

/** A checkpoint that its log signed, and the witnesses that cosigned it lately. */
export type OpenedCheckpoint = Checkpoint & {
  readonly note: string
  readonly witnesses: readonly { readonly name: string; readonly at: number }[]
}

/** Age in s at which a cosignature no longer counts. */
const MAX_AGE_S = 2 * 60 * 60
/** Time in s that the clock of a witness may be ahead. */
const AHEAD_S = 5 * 60

/** @throws LogError `malformed_policy`, naming the field */
export function readLogPolicy({ key, origin, witnesses = [], quorum }: LogPolicy): ReadPolicy {
  const log = parseKey('key', key, parseVerifierKey)
  const known = witnesses.map((text, index) => parseKey(`witnesses[${index}]`, text, parseWitnessKey))
  const least = quorum ?? majorityOf(known.length)
  if (new Set(known.map(({ name, keyId }) => `${name} ${keyId}`)).size < known.length) {
    throw new LogError('malformed_policy', 'log.witnesses: expected each witness once')
  }
  if (!Number.isInteger(least) || least < 0 || least > known.length) {
    throw new LogError(
      'malformed_policy',
      `log.quorum: expected a whole number from 0 to the ${known.length} witnesses given, got ${least}`,
    )
  }
  return { origin: origin ?? log.name, log, witnesses: known, quorum: least }
}

/** Returns more than half of a number of witnesses; 0 without any. */
export function majorityOf(count: number): number {
  return count === 0 ? 0 : Math.floor(count / 2) + 1
}

function parseKey(field: string, text: string, parse: (text: string) => NoteVerifier): NoteVerifier {
  try {
    return parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : `${cause}`
    throw new LogError('malformed_policy', `log.${field}: ${reason}`, { cause })
  }
}

/**
 * Opens a checkpoint: verifies the log's signature and counts the witnesses whose cosignatures are at most 2 h old.
 * @param now Unix time in ms
 * @throws LogError `malformed_checkpoint`, `unsigned_checkpoint`, `wrong_origin` or `too_few_witnesses`
 */
export async function openCheckpoint(
  note: string,
  { origin, log, witnesses, quorum }: ReadPolicy,
  now: number,
): Promise<OpenedCheckpoint> {
  const checkpoint = parseCheckpoint(readOrRefuse(() => parseNote(note)).text)
  if (checkpoint.origin !== origin) {
    throw new LogError(
      'wrong_origin',
      `expected a checkpoint of ${origin}, got one of ${checkpoint.origin}: if the service began another log, its operator names the new key`,
    )
  }
  const opened = await openNote(note, [log, ...witnesses]).catch(refuseNote)
  const signers = opened.signatures
  if (!signers.some(({ name, keyId }) => name === log.name && keyId === log.keyId)) {
    throw new LogError('unsigned_checkpoint', `the key of ${origin} did not sign the checkpoint`)
  }
  const seconds = now / 1000
  const fresh = witnesses.flatMap((witness) => {
    const line = signers.find(({ name, keyId }) => name === witness.name && keyId === witness.keyId)
    const at = line && cosignedAt(line.signature)
    const isFresh = at !== undefined && seconds - at <= MAX_AGE_S && at - seconds <= AHEAD_S
    return isFresh ? [{ name: witness.name, at: at * 1000 }] : []
  })
  if (fresh.length < quorum) {
    throw new LogError(
      'too_few_witnesses',
      `${fresh.length} of ${witnesses.length} witnesses cosigned the checkpoint within 2 hours, ${quorum} are needed`,
    )
  }
  return { ...checkpoint, note, witnesses: fresh }
}

function readOrRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    return refuseNote(cause)
  }
}

function refuseNote(cause: unknown): never {
  if (!(cause instanceof NoteError)) throw cause
  const code = cause.code === 'malformed_note' ? 'malformed_checkpoint' : 'unsigned_checkpoint'
  throw new LogError(code, `the checkpoint is refused: ${cause.message}`, { cause })
}
