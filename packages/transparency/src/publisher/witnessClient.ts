import { encodeBase64 } from '../base64.ts'
import { type Checkpoint, parseCheckpoint, parseSize } from '../checkpoint/checkpoint.ts'
import { parseWitnessKey } from '../checkpoint/cosignature.ts'
import { type NoteSignature, openNote, signNote } from '../notes/note.ts'
import { parseVerifierKey } from '../notes/noteKey.ts'
import { originHash } from '../originHash.ts'
import { readUpTo } from '../readUpTo.ts'
import { proveConsistency, type ReadSubtrees } from '../tree/tree.ts'

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
      const response = await fetch(`${url}/${originHash(log.name)}/checkpoint`, {
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

async function readText({ body }: Response): Promise<string> {
  const text = body === null ? '' : await readUpTo(body, MAX_ANSWER_BYTES)
  if (text === undefined) throw new Error('a witness answered with more than 64 kB')
  return text
}
