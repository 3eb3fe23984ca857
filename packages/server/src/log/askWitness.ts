import { createHash } from 'node:crypto'
import {
  type Checkpoint,
  encodeBase64,
  type NoteSignature,
  openNote,
  parseCheckpoint,
  parseSize,
  parseVerifierKey,
  parseWitnessKey,
  proveConsistency,
  type ReadSubtrees,
  signNote,
} from '@touchstone402/transparency'
import { readBounded } from '../lib/readBounded.ts'

/** A witness that is asked for cosignatures. */
export type WitnessConfig = {
  /** Submission prefix, without a slash at its end. */
  readonly url: string
  /** `name+id+base64(0x04 || key)`. */
  readonly key: string
}

/** The newest checkpoint of a log that a witness cosigned, and its note. */
export type Cosigned = Checkpoint & { readonly note: string }

export type WitnessClient = {
  readonly name: string
  /**
   * Returns the newest checkpoint of the log that the witness cosigned; undefined if it knows none.
   * @throws Error if it does not answer, or the log and the witness did not both sign what it answers
   */
  latest(): Promise<Cosigned | undefined>
  /**
   * Returns the witness' cosignature of a checkpoint.
   * @throws Error if it does not answer, refuses, or has seen another tree
   */
  cosign(checkpoint: Checkpoint, note: string, read: ReadSubtrees): Promise<NoteSignature>
}

const TIMEOUT_MS = 5_000
const MAX_ANSWER_BYTES = 64 * 1024

/**
 * Creates the client of a witness (C2SP tlog-witness).
 * @param logKey public key of the log, whose name is the origin
 */
export function createWitnessClient({ url, key }: WitnessConfig, logKey: string): WitnessClient {
  const verifier = parseWitnessKey(key)
  const log = parseVerifierKey(logKey)
  /** Size that the witness saw last; it reports a different one. */
  let seen = 0

  const ask = async (checkpoint: Checkpoint, note: string, read: ReadSubtrees): Promise<Response> => {
    const proof = await proveConsistency(seen, checkpoint.size, read)
    const body = [`old ${seen}`, ...proof.map(encodeBase64), '', note].join('\n')
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    return fetch(`${url}/add-checkpoint`, { method: 'POST', body, redirect: 'error', signal })
  }

  return {
    name: verifier.name,
    async latest() {
      const path = `${createHash('sha256').update(log.name).digest('hex')}/checkpoint`
      const response = await fetch(`${url}/${path}`, {
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const note = await readText(response)
      if (response.status === 404) return undefined
      if (response.status !== 200) throw new Error(`witness ${verifier.name} answered ${response.status}`)
      // Without the log's own signature a witness could stop it with a tree that never was.
      const { text, signatures } = await openNote(note, [log, verifier])
      const checkpoint = parseCheckpoint(text)
      if (signatures.length < 2 || checkpoint.origin !== log.name)
        throw new Error(`witness ${verifier.name} answered no checkpoint that it and ${log.name} signed`)
      return { ...checkpoint, note: await signNote(text, [], signatures) }
    },
    async cosign(checkpoint, note, read) {
      let response = await ask(checkpoint, note, read)
      if (response.status === 409) {
        const size = parseSize((await readText(response)).trimEnd())
        if (size === undefined || size > checkpoint.size) {
          throw new Error(`witness ${verifier.name} has seen ${size} leaves, this log has ${checkpoint.size}`)
        }
        seen = size
        response = await ask(checkpoint, note, read)
      }
      const text = await readText(response)
      if (response.status !== 200) throw new Error(`witness ${verifier.name} answered ${response.status}`)
      const { signatures } = await openNote(`${note.slice(0, note.indexOf('\n\n') + 2)}${text}`, [verifier])
      const [cosignature] = signatures
      if (cosignature === undefined) throw new Error(`witness ${verifier.name} did not sign`)
      seen = checkpoint.size
      return cosignature
    },
  }
}

async function readText(response: Response): Promise<string> {
  const text = await readBounded(response, MAX_ANSWER_BYTES)
  if (text === null) throw new Error('a witness answered with more than 64 kB')
  return text
}
