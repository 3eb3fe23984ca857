import { cosignedAt, parseNote, parseWitnessKey } from '@touchstone402/transparency'
import type { Time } from '../facts/facts.ts'
import { readDocument } from '../store/documents.ts'
import { readHead } from '../store/log.ts'
import type { Store } from '../store/store.ts'

/** State of the log as every process can read it. */
export type LogState = {
  /** Number of leaves under the newest checkpoint. */
  readonly size: number
  /** Unix time in ms of the newest checkpoint; null before the first. */
  readonly checkpointAt: Time | null
  /** Configured witnesses by name, with the time of their cosignature of that checkpoint in ms; null without one. */
  readonly cosignedAt: Readonly<Record<string, Time | null>>
  /** Why nothing is signed, as a sentence; null while the log is signed. */
  readonly refusal: string | null
}

const REFUSAL = { kind: 'log-refusal', id: 'current' }

/** Writes why nothing is signed, for all processes to show; null once the log is signed. It lasts until then. */
export async function noteRefusal(store: Store, reason: string | null, now: Time): Promise<void> {
  if (reason === null) await store.write('removeDocument', REFUSAL.kind, REFUSAL.id)
  else await store.write('putDocument', { ...REFUSAL, expiresAt: Number.MAX_SAFE_INTEGER, data: reason }, now)
}

/**
 * Reads the state of the log.
 * @param witnesses those of the configuration
 */
export async function readLogState(
  store: Store,
  witnesses: readonly { readonly key: string }[],
  now: Time,
): Promise<LogState> {
  const [head, refused] = await Promise.all([
    readHead(store),
    readDocument(store, REFUSAL.kind, REFUSAL.id, now),
  ])
  const lines = head === null ? [] : parseNote(head.note).signatures
  const cosigned = witnesses.map(({ key }) => {
    const { name, keyId } = parseWitnessKey(key)
    const line = lines.find((one) => one.name === name && one.keyId === keyId)
    const seconds = line && cosignedAt(line.signature)
    return [name, seconds === undefined ? null : seconds * 1000] as const
  })
  return {
    size: head?.size ?? 0,
    checkpointAt: head?.at ?? null,
    cosignedAt: Object.fromEntries(cosigned),
    refusal: typeof refused?.data === 'string' ? refused.data : null,
  }
}
