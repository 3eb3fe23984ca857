import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { ifPresent } from '../../../durable/durableFiles.ts'
import { messageOf } from '../../../errors.ts'
import type { OldHost } from './oldState.ts'

/** A document and the sequence number of the log call that wrote it. */
export type NumberedDocument = { readonly seq: number; readonly document: OldHost }

const HEAD = /^\{"v":1,"crc":"([0-9a-f]{8})","data":/

/**
 * Reads one file of documents. Those of a file that is missing are in the log.
 * @returns `damaged` if its content does not match its checksum
 * @throws StoreOpenError if the file cannot be read
 */
export async function readOldDocuments(
  directory: string,
  part: number,
): Promise<readonly NumberedDocument[] | 'damaged'> {
  const path = oldDocumentsPath(directory, part)
  const text = await ifPresent(readFile(path, 'utf8')).catch((cause: unknown) => {
    throw new StoreOpenError(`Cannot read ${path}: ${messageOf(cause)}`, { cause })
  })
  if (text === undefined) return []
  const head = HEAD.exec(text)
  const json = text.slice(head?.[0].length ?? 0, text.lastIndexOf('}'))
  if (head === null || crc32(json).toString(16).padStart(8, '0') !== head[1]) return 'damaged'
  const { documents }: { documents: readonly NumberedDocument[] } = JSON.parse(json)
  return documents
}

/** Returns the path of a file of documents. */
export function oldDocumentsPath(directory: string, part: number): string {
  return join(directory, `${String(part).padStart(3, '0')}.json`)
}
