import { open } from 'node:fs/promises'
import type { ListedRow } from '../facts/facts.ts'
import { NO_CLAIMS } from '../facts/facts.ts'
import { readMethod } from '../lib/fields.ts'
import type { Directory } from './directory.ts'
import { mapPage } from './readPages.ts'
import { SkippedRowError, toRow } from './toRow.ts'

/** Options of {@link createFileDirectory}. */
export type FileDirectoryOptions = { readonly name: string; readonly path: string }

const PAGE_SIZE = 1_000

/** Creates a directory from a text file: one URL per line, optionally after a method (`POST https://…`). `#` starts a comment. */
export function createFileDirectory({ name, path }: FileDirectoryOptions): Directory {
  return {
    name,
    mayBeEmpty: true,
    async *pages(signal) {
      const file = await open(path)
      try {
        let lines: string[] = []
        for await (const line of file.readLines()) {
          signal?.throwIfAborted()
          const text = line.replace(/(^|\s)#.*$/, '').trim()
          if (text !== '') lines.push(text)
          if (lines.length < PAGE_SIZE) continue
          yield mapPage(lines, (text) => mapLine(name, text))
          lines = []
        }
        if (lines.length > 0) yield mapPage(lines, (text) => mapLine(name, text))
      } finally {
        await file.close()
      }
    },
  }
}

function mapLine(directory: string, line: string): ListedRow {
  const [first = '', second, ...rest] = line.split(/\s+/)
  const method = second === undefined ? null : readMethod({ first }, 'first')
  if (rest.length > 0 || (second !== undefined && method === null)) {
    throw new SkippedRowError('malformed')
  }
  return toRow({
    directory,
    listedUrl: second ?? first,
    method,
    title: null,
    category: null,
    claims: NO_CLAIMS,
    claimedAt: null,
    ownClaim: false,
  })
}
