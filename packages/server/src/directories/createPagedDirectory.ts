import { asObject } from '@touchstone402/shared'
import type { ListedRow } from '../facts/facts.ts'
import type { Row } from '../lib/fields.ts'
import { createReadJson, DirectoryError, type RemoteDirectoryOptions } from '../lib/readJson.ts'
import { refuseUnpayable } from './claims.ts'
import type { Directory } from './directory.ts'
import { mapPage, readPages } from './readPages.ts'
import { SkippedRowError } from './toRow.ts'

/** An API that pages by `limit` and `offset`. */
export type PagedApi = {
  readonly path: string
  /** Query parameters besides `limit` and `offset`. */
  readonly query: string
  /** Name of the items in error messages. */
  readonly what: string
  items(page: Row | undefined): readonly unknown[] | undefined
  /** Reads the number of all items, or null if not stated. */
  total(page: Row | undefined): number | null
  /** Maps an item to a row. @throws SkippedRowError for an item to skip */
  map(directory: string, item: Row): ListedRow
}

const PAGE_SIZE = 100

/** Creates a directory from an API that pages by `limit` and `offset`. */
export function createPagedDirectory(options: RemoteDirectoryOptions, api: PagedApi): Directory {
  const { name, pace } = options
  const readJson = createReadJson(options)
  const url = apiUrl(options.url, api.path)
  return {
    name,
    async *pages(signal) {
      const read = async (offset: number) => {
        const query = `${api.query}&limit=${PAGE_SIZE}&offset=${offset}`
        const page = asObject(await readJson(`${url}?${query}`, signal))
        const items = api.items(page)
        if (items === undefined) throw new DirectoryError(`${url} holds no list of ${api.what}`)
        const total = api.total(page)
        return { items, isLast: total !== null && offset + items.length >= total }
      }
      for await (const items of readPages({ read, pauseMs: pace.pauseMs, signal })) {
        yield mapPage(items, (item) => {
          const row = asObject(item)
          if (row === undefined) throw new SkippedRowError('malformed')
          refuseUnpayable(row)
          return api.map(name, row)
        })
      }
    },
  }
}

/** Appends the path of an API to a base URL that may already end with it. */
export function apiUrl(url: string, path: string): string {
  const base = url.replace(/\/+$/, '')
  return base.endsWith(path) ? base : base + path
}
