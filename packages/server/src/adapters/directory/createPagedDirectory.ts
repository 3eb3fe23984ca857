import type { Directory, ListedRow } from '../../ports/directory.ts'
import { asObject, type Row } from '../../remote/fields.ts'
import { createReadJson, DirectoryError, type RemoteDirectoryOptions } from '../../remote/readJson.ts'
import { type ListPage, readPages } from './readPages.ts'

/** What tells one paged API from another. */
export type PagedApi = {
  readonly path: string
  /** Query parameters besides `limit` and `offset`. */
  readonly query: string
  /** What the list holds, for messages. */
  readonly what: string
  items(page: Row | undefined): readonly unknown[] | undefined
  total(page: Row | undefined): ListPage['total']
  /** As in `readPages`. */
  map(directory: string, item: unknown): ListedRow | null
}

const PAGE_SIZE = 100

/** Creates a directory whose API pages by `limit` and `offset`. */
export function createPagedDirectory(options: RemoteDirectoryOptions, api: PagedApi): Directory {
  const readJson = createReadJson(options)
  const base = options.url.replace(/\/+$/, '')
  const url = base.endsWith(api.path) ? base : base + api.path
  return {
    name: options.name,
    pages: (signal) =>
      readPages({
        async read(offset) {
          const page = asObject(
            await readJson(`${url}?${api.query}&limit=${PAGE_SIZE}&offset=${offset}`, signal),
          )
          const items = api.items(page)
          if (items === undefined) throw new DirectoryError(`${url} holds no list of ${api.what}`)
          return { items, total: api.total(page) }
        },
        map: (item) => api.map(options.name, item),
        ...(options.pauseMs !== undefined && { pauseMs: options.pauseMs }),
        ...(signal !== undefined && { signal }),
      }),
  }
}
