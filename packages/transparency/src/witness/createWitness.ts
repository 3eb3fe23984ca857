import { decodeBase64, encodeBase64 } from '../base64.ts'
import { type Checkpoint, parseSize } from '../checkpoint/checkpoint.ts'
import type { Cosigner } from '../checkpoint/cosignature.ts'
import { LogError } from '../checkpoint/logError.ts'
import { openCheckpoint, type ReadPolicy } from '../checkpoint/policy.ts'
import { formatLine, parseNote, signNote } from '../notes/note.ts'
import { EMPTY_ROOT, HASH_BYTES } from '../tree/hash.ts'
import { verifyConsistency } from '../tree/verify.ts'
import { plain, TEXT, type WitnessAnswer } from './answer.ts'

/** The last checkpoint of a log that a witness cosigned. */
export type Witnessed = {
  readonly size: number
  /** Root in base64. */
  readonly root: string
  /** The checkpoint with the signatures of log and witness. */
  readonly note: string
}

/** Keeps the last checkpoint of each log. One process at a time may write it. */
export type WitnessBook = {
  read(origin: string): Promise<Witnessed | undefined>
  /** Resolves once it is durable. */
  write(origin: string, witnessed: Witnessed): Promise<void>
}

export type WitnessOptions = {
  /** Logs that are witnessed, each with its key. */
  readonly logs: readonly ReadPolicy[]
  readonly cosigner: Cosigner
  readonly book: WitnessBook
}

export type Witness = {
  /** Public key of the witness. */
  readonly verifierKey: string
  /** Origins of the witnessed logs. */
  readonly origins: readonly string[]
  /** Answers `POST /add-checkpoint` (C2SP tlog-witness). */
  addCheckpoint(body: string): Promise<WitnessAnswer>
  /** Returns the last cosigned checkpoint of a log, as a note. */
  checkpoint(origin: string): Promise<string | undefined>
}

type Request = { readonly old: number; readonly proof: readonly Uint8Array[]; readonly note: string }

const MAX_PROOF = 63

/** Creates a witness: it cosigns a log's checkpoint if that continues the last one that it cosigned. */
export function createWitness({ logs, cosigner, book }: WitnessOptions): Witness {
  const queues = new Map<string, Promise<unknown>>()
  /** Checking the last checkpoint and replacing it is one step for each log. */
  const alone = <T>(origin: string, work: () => Promise<T>): Promise<T> => {
    const done = (queues.get(origin) ?? Promise.resolve()).then(work, work)
    queues.set(origin, done)
    return done
  }

  const cosign = async (log: ReadPolicy, request: Request): Promise<WitnessAnswer> => {
    const opened = await openSigned(log, request.note)
    if (opened === undefined) return plain(403, 'no trusted key signed the checkpoint')
    if (request.old > opened.size) return plain(400, 'the old size is larger than the checkpoint')
    const last = await book.read(log.origin)
    if (request.old !== (last?.size ?? 0)) {
      return { status: 409, type: 'text/x.tlog.size', body: `${last?.size ?? 0}\n` }
    }
    if (!continues(last, opened, request.proof)) {
      return plain(422, 'the checkpoint does not continue the last one')
    }
    // Only the log's own signature is kept; others prove nothing here.
    const { text, signatures } = parseNote(request.note)
    const own = signatures.filter(({ name, keyId }) => name === log.log.name && keyId === log.log.keyId)
    const note = await signNote(text, [cosigner], own.slice(0, 1))
    await book.write(log.origin, { size: opened.size, root: encodeBase64(opened.root), note })
    const line = parseNote(note).signatures.find(({ keyId }) => keyId === cosigner.keyId)
    return { status: 200, type: TEXT, body: line ? formatLine(line) : '' }
  }

  return {
    verifierKey: cosigner.verifierKey,
    origins: logs.map(({ origin }) => origin),
    async addCheckpoint(body) {
      const request = parseRequest(body)
      if (request === undefined) return plain(400, 'expected an old size, a proof and a checkpoint')
      const origin = request.note.slice(0, Math.max(request.note.indexOf('\n'), 0))
      const log = logs.find((known) => known.origin === origin)
      if (log === undefined) return plain(404, 'unknown origin')
      return alone(origin, () => cosign(log, request))
    },
    checkpoint: async (origin) => (await book.read(origin))?.note,
  }
}

function continues(last: Witnessed | undefined, next: Checkpoint, proof: readonly Uint8Array[]): boolean {
  if (last === undefined) return verifyConsistency({ size: 0, root: EMPTY_ROOT }, next, proof)
  const root = decodeBase64(last.root) ?? EMPTY_ROOT
  return verifyConsistency({ size: last.size, root }, next, proof)
}

function parseRequest(body: string): Request | undefined {
  const end = body.indexOf('\n\n')
  const [first = '', ...lines] = body.slice(0, Math.max(end, 0)).split('\n')
  const old = first.startsWith('old ') ? parseSize(first.slice('old '.length)) : undefined
  const proof = lines.map(decodeBase64).filter((hash) => hash?.length === HASH_BYTES)
  if (old === undefined || lines.length > MAX_PROOF || proof.length !== lines.length) return undefined
  return { old, proof: proof.filter((hash) => hash !== undefined), note: body.slice(end + 2) }
}

async function openSigned(log: ReadPolicy, note: string): Promise<Checkpoint | undefined> {
  try {
    return await openCheckpoint(note, log, Date.now())
  } catch (error) {
    if (error instanceof LogError) return undefined
    throw error
  }
}
