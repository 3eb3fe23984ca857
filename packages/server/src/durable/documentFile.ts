import { readFile } from 'node:fs/promises'
import type { Adapter } from 'lowdb'
import { ifPresent, replaceFile } from './durableFiles.ts'

/**
 * Creates a lowdb adapter for a small document in a JSON file that only its owner can read. A write resolves once it is
 * durable, and replaces the file whole.
 * @param parse checks the text of the file; its error rejects the read
 */
export function documentFile<T>(path: string, parse: (text: string) => T): Adapter<T | null> {
  return {
    async read() {
      const text = await ifPresent(readFile(path, 'utf8'))
      return text === undefined ? null : parse(text)
    },
    write: (data) => replaceFile(path, `${JSON.stringify(data)}\n`),
  }
}
