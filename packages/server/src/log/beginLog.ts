import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readLeaf } from '@touchstone402/shared/leaves'
import { parseCheckpoint, parseNote } from '@touchstone402/transparency'
import {
  type Cosigned,
  createWitnessClient,
  isWhole,
  type LogHead,
  type WitnessConfig,
} from '@touchstone402/transparency/publisher'
import { messageOf } from '../lib/errors.ts'
import { keyLeaf } from '../publish/leaves.ts'
import { readHead, readLeaves } from '../store/log.ts'
import type { Store } from '../store/store.ts'
import { writeLogFiles } from './logFiles.ts'
import { logStorage } from './logStorage.ts'
import { type NoteKey, openNoteKey, readNoteKey, retireNoteKey } from './noteKeyFile.ts'
import { publishLogKey, readLogKey } from './proveKeys.ts'

/** First leaf of a log that has a `key` leaf there: the key, and the checkpoint of the log that this one continues. */
export type LogStart = { readonly key: string; readonly previous: string | null }

/** Reads the first leaf of a log; undefined unless it names the log's key. */
export async function readLogStart(store: Store): Promise<LogStart | undefined> {
  const [entry] = await readLeaves(store, 0, 1)
  if (entry === undefined) return undefined
  const { kind, use, key, previous } = readLeaf(Buffer.from(entry.leaf))
  if (kind !== 'key' || use !== 'log' || typeof key !== 'string') return undefined
  return { key, previous: typeof previous === 'string' ? previous : null }
}

export type BeginLogOptions = {
  readonly store: Store
  /** Path of the log's private key. */
  readonly keyFile: string
  /** First line of the new log's checkpoints. */
  readonly origin: string
  /** Witnesses of the log that ends. */
  readonly witnesses: readonly WitnessConfig[]
  /** Goes on if one of them cannot be asked. */
  readonly withoutWitnesses: boolean
  /** Folder that gets the files of the log that ends. */
  readonly folder: string
  readonly now: () => number
  /** Throws if another process may write the log by now. */
  readonly checkAlone: () => void
}

/** A new log: its key, and the checkpoint and files of the one before. */
export type BegunLog = {
  /** Public key of the new log. */
  readonly key: string
  /** The checkpoint that its first leaf names. */
  readonly previous: { readonly origin: string; readonly size: number }
  /** Folder with the files of the log that ended; null if the store did not have it whole. */
  readonly files: string | null
}

/**
 * Ends the log of a store and begins another, whose first leaf names the newest checkpoint of the old one that the store
 * or a witness knows. After a kill at any moment it can be called again.
 * @returns null if the log has begun before and nothing of it is signed yet
 * @throws Error with the reason if it fails
 */
export async function beginLog(options: BeginLogOptions): Promise<BegunLog | null> {
  const { store, keyFile, origin, now } = options
  const [head, start, key] = await Promise.all([readHead(store), readLogStart(store), readNoteKey(keyFile)])
  if (head === null && start?.previous != null) {
    if (key?.verifierKey === start.key && key.name === origin) return null
    throw new Error(`${start.key} has begun and signed nothing yet: start the service with its key file`)
  }
  const oldKey = (await readLogKey(store, now())) ?? key?.verifierKey
  if (oldKey === undefined) throw new Error('there is no log to end: starting the service begins the first')
  const oldOrigin = parseName(oldKey)
  if (origin === oldOrigin) throw new Error(`${origin} is the log that ends: give another origin`)
  refuseUnnamed(options, head, oldKey)
  const known = await askAll(options, oldKey)
  if (head !== null) known.unshift({ ...parseCheckpoint(parseNote(head.note).text), note: head.note })
  const [newest] = known.sort((a, b) => b.size - a.size)
  if (newest === undefined)
    throw new Error(`neither the store nor a witness has a checkpoint of ${oldOrigin}: it need not be ended`)
  const files = await writeFiles(options, head, oldOrigin)
  // The key file may be that of the new log when this is called again.
  await publishLogKey(store, oldKey, now())
  const { verifierKey } = await openKey(keyFile, origin, key)
  options.checkAlone()
  await store.write('beginLog', keyLeaf('log', verifierKey, now(), newest.note))
  return { key: verifierKey, previous: { origin: oldOrigin, size: newest.size }, files }
}

const parseName = (verifierKey: string) => verifierKey.slice(0, verifierKey.indexOf('+'))

/** Refuses to go on if a witness of the newest checkpoint is not in the configuration, so that it cannot be asked. */
function refuseUnnamed(
  { witnesses, withoutWitnesses }: BeginLogOptions,
  head: LogHead | null,
  oldKey: string,
) {
  if (head === null || withoutWitnesses) return
  const known = new Set([oldKey, ...witnesses.map(({ key }) => key)].map(parseName))
  const unnamed = parseNote(head.note).signatures.find(({ name }) => !known.has(name))
  if (unnamed !== undefined)
    throw new Error(
      `witness ${unnamed.name} cosigned the newest checkpoint, and LOG_WITNESSES does not name it: add it, or go on with --without-witnesses`,
    )
}

/** Asks each witness for its newest checkpoint of the log that ends. */
async function askAll(options: BeginLogOptions, oldKey: string): Promise<Cosigned[]> {
  const clients = options.witnesses.map((witness) => createWitnessClient(witness, oldKey))
  const answers = await Promise.allSettled(clients.map((client) => client.latest()))
  return answers.flatMap((answer, index) => {
    if (answer.status === 'fulfilled') return answer.value ?? []
    if (options.withoutWitnesses) return []
    throw new Error(
      `witness ${clients[index]?.name} cannot be asked for its newest checkpoint (${messageOf(answer.reason)}): try again, or go on with --without-witnesses`,
    )
  })
}

async function writeFiles({ store, folder }: BeginLogOptions, head: LogHead | null, origin: string) {
  if (head === null || !(await isWhole(logStorage(store), head).catch(() => false))) return null
  const files = join(folder, createHash('sha256').update(origin).digest('hex'))
  await writeLogFiles(store, head, files)
  return files
}

/** Opens the key of the new log, which a call before may have made; a key of another log is moved aside. */
async function openKey(path: string, origin: string, key: NoteKey | undefined): Promise<NoteKey> {
  if (key !== undefined && key.name !== origin) await retireNoteKey(path, key)
  return openNoteKey(path, origin)
}
