import { DAY, HOUR } from '../facts/times.ts'
import { createByteCache } from '../lib/createByteCache.ts'
import { type DirectoryPage, HOST_DIRECTORY, type ListedRow } from '../ports/directory.ts'
import type { Prober } from '../ports/prober.ts'
import type { HostTexts } from './hostPage.ts'

/**
 * Fetches a document, or null if there is none. Hosts are untrusted, so this must be the prober's `document`, which dials
 * under the address guard.
 */
export type FetchDocument = (url: string, onOwnFault: () => void, maxBytes: number) => Promise<string | null>

/** Endpoints that the documents of a host declare. */
export type Declared = {
  readonly page: DirectoryPage
  /** Whether no document is missing through a fault of ours. */
  readonly isCertain: boolean
}

/** Reads what hosts themselves declare. */
export type HostDocuments = {
  /**
   * Reads the documents of a host. Those that could not be parsed in time are not read again for a day.
   * @param maxAgeMs age up to which they are not fetched again. @default 0
   */
  read(origin: string, fetchDocument: FetchDocument, maxAgeMs?: number): Promise<Declared>
}

/** Options of {@link createHostDocuments}. */
export type HostDocumentsOptions = {
  /** Parses documents; null if they are unreadable. */
  readonly parse: (texts: HostTexts) => Promise<DirectoryPage | null>
  /** Returns the time, in Unix ms. */
  readonly now: () => number
}

/** Maximum size of one document in bytes. */
const MAX_DOCUMENT_BYTES = 2 * 1024 * 1024
/** Maximum size of all parsed documents that are kept, in bytes. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024
/** Rough size of a row beside its URL and body, in bytes. */
const ROW_BYTES = 1024
/** Parsed documents are asked again at most this often when input is refused, in ms. */
const REREAD_MS = HOUR

const NOTHING: DirectoryPage = { rows: [], skipped: {} }
const UNREADABLE: DirectoryPage = { rows: [], skipped: { unread: 1 } }

const sizeOf = ({ rows }: DirectoryPage) =>
  rows.reduce((sum, { url, body }) => sum + ROW_BYTES + url.length + (body?.length ?? 0), 0)

/** Creates the reader. It keeps what it parsed for a day, by host. A document is as fresh as the fetch. */
export function createHostDocuments({ parse, now }: HostDocumentsOptions): HostDocuments {
  const kept = createByteCache<DirectoryPage>({ maxBytes: MAX_KEPT_BYTES, expiryMs: DAY, sizeOf, now })
  return {
    async read(origin, fetchDocument, maxAgeMs = 0) {
      const known = kept.get(origin)
      const isFresh = known !== undefined && (known.value === UNREADABLE || now() - known.at < maxAgeMs)
      // A slow machine may be why it took too long: nothing is known of what it declares.
      if (isFresh) return { page: known.value, isCertain: known.value !== UNREADABLE }
      let isCertain = true
      const onOwnFault = () => {
        isCertain = false
      }
      const [openApi = null, wellKnown = null] = await Promise.all(
        ['/openapi.json', '/.well-known/x402'].map((path) =>
          fetchDocument(origin + path, onOwnFault, MAX_DOCUMENT_BYTES),
        ),
      )
      const claimedAt = now()
      const isNothing = openApi === null && wellKnown === null
      const parsed = isNothing
        ? NOTHING
        : await parse({ directory: HOST_DIRECTORY, origin, openApi, wellKnown })
      const page =
        parsed === null ? UNREADABLE : { ...parsed, rows: parsed.rows.map((row) => ({ ...row, claimedAt })) }
      if (isCertain || page === UNREADABLE) kept.set(origin, page)
      return { page, isCertain: isCertain && page !== UNREADABLE }
    },
  }
}

/**
 * Reads the rows of one host.
 * @param maxAgeMs age up to which they are not fetched again. @default an hour
 * @returns null if a document could not be read through a fault of ours
 */
export async function readHostRows(
  documents: HostDocuments,
  prober: Pick<Prober, 'document'>,
  origin: string,
  maxAgeMs = REREAD_MS,
): Promise<readonly ListedRow[] | null> {
  const fetchDocument: FetchDocument = (url, onOwnFault, maxBytes) =>
    prober.document(url, undefined, onOwnFault, maxBytes)
  const { page, isCertain } = await documents.read(origin, fetchDocument, maxAgeMs)
  return isCertain ? page.rows : null
}
