import { randomBytes } from 'node:crypto'
import { rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { formatSignerKey, parseSignerKey, verifierKeyOf } from '@touchstone402/transparency'
import { createFile, makeFolder, readIfPresent, syncFolder } from '../lib/durableFiles.ts'

/** A private key of signed notes, as text, and what is published of it. */
export type NoteKey = {
  readonly name: string
  /** `PRIVATE+KEY+name+id+base64`. */
  readonly signerKey: string
  /** `name+id+base64`. */
  readonly verifierKey: string
  /** 32 bytes. */
  readonly seed: Uint8Array
}

/**
 * Opens the file of a key, or creates it with a new key on the first start.
 * @param name of a new key; a key that is there keeps its own
 * @throws Error if the file is damaged or other users can read it
 */
export async function openNoteKey(path: string, name: string): Promise<NoteKey> {
  const known = await readNoteKey(path)
  if (known !== undefined) return known
  await makeFolder(dirname(path))
  await createFile(path, `${await formatSignerKey(name, randomBytes(32))}\n`)
  const created = await readNoteKey(path)
  if (created === undefined) throw new Error(`${path} was removed while it was being created`)
  return created
}

/** Moves the file of a key aside, where nothing reads it. Returns its new path. */
export async function retireNoteKey(path: string, { verifierKey }: NoteKey): Promise<string> {
  const [, keyId] = verifierKey.split('+')
  const aside = `${path}.${keyId}`
  await rename(path, aside)
  await syncFolder(dirname(path))
  return aside
}

/**
 * Reads the file of a key. Returns undefined if there is none.
 * @throws Error if it is damaged or other users can read it
 */
export async function readNoteKey(path: string): Promise<NoteKey | undefined> {
  const text = await readIfPresent(path)
  if (text === undefined) return undefined
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`${path} holds a private key that other users can read: set its mode to 600`)
  }
  const signerKey = text.trim()
  try {
    const { name } = await parseSignerKey(signerKey)
    const verifierKey = await verifierKeyOf(signerKey)
    const [encoded = ''] = signerKey.match(/[A-Za-z0-9+/]{44}$/) ?? []
    return { name, signerKey, verifierKey, seed: Buffer.from(encoded, 'base64').subarray(1) }
  } catch {
    // No cause: it may quote the private key.
    throw new Error(
      `${path} is damaged: restore it from a backup; to replace it, run "touchstone-server log begin"`,
    )
  }
}
