import type { Time } from '../facts/facts.ts'
import { HOST_DIRECTORY, type ListedRow, type Unread } from '../facts/facts.ts'
import { DAY, HOUR, READ_AGAIN_MS } from '../facts/times.ts'
import { createByteCache } from '../lib/createByteCache.ts'
import type { Prober } from '../lib/prober.ts'
import type { DirectoryPage } from './directory.ts'
import type { HostTexts } from './hostPage.ts'

/**
 * Fetches a document, or null if there is none. Hosts are untrusted, so this must be the prober's `document`, which dials
 * under the address guard.
 */
export type FetchDocument = (url: string, onOwnFault: () => void, maxBytes: number) => Promise<string | null>

/** Endpoints that the documents of a host declare. */
export type Declared = {
  readonly page: DirectoryPage
  /** Why a document is unread; null if all that there are were read. */
  readonly unread: Unread | null
  /** Time in ms after which unread documents are worth another attempt; null if all were read. */
  readonly readAgainMs: number | null
}

/** Reads what hosts themselves declare. */
export type HostDocuments = {
  /**
   * Reads the documents of a host. Those that are unreadable are read again after 15 minutes, and then in twice the time,
   * up to half a day.
   * @param maxAgeMs age up to which they are not fetched again. @default 0
   */
  read(origin: string, fetchDocument: FetchDocument, maxAgeMs?: number): Promise<Declared>
}

/** Options of {@link createHostDocuments}. */
export type HostDocumentsOptions = {
  readonly parse: (texts: HostTexts) => Promise<DirectoryPage | Unread>
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

/** Longest time in ms after which unreadable documents are read again. */
const MOST_AGAIN_MS = DAY / 2

const NOTHING: DirectoryPage = { rows: [], skipped: {} }
const UNREADABLE: DirectoryPage = { rows: [], skipped: { unread: 1 } }
const UNFINISHED: DirectoryPage = { ...UNREADABLE, isUnfinished: true }

/** A parsed page, and the number of consecutive failures to parse it. */
type Kept = { readonly page: DirectoryPage; readonly failures: number }

const sizeOf = ({ page: { rows } }: Kept) =>
  rows.reduce((sum, { url, body }) => sum + ROW_BYTES + url.length + (body?.length ?? 0), 0)

const againMs = (failures: number) => Math.min(MOST_AGAIN_MS, READ_AGAIN_MS * 2 ** (failures - 1))

/** @param ageMs time since it was parsed */
function describe({ page, failures }: Kept, ageMs: number): Declared {
  if (failures === 0) return { page, unread: null, readAgainMs: null }
  return { page, unread: 'unreadable', readAgainMs: againMs(failures) - ageMs }
}

/** Creates the reader. It keeps what it parsed for a day, by host. A document is as fresh as the fetch. */
export function createHostDocuments({ parse, now }: HostDocumentsOptions): HostDocuments {
  const kept = createByteCache<Kept>({ maxBytes: MAX_KEPT_BYTES, expiryMs: DAY, sizeOf, now })
  return {
    async read(origin, fetchDocument, maxAgeMs = 0) {
      const known = kept.get(origin)
      const { failures = 0 } = known?.value ?? {}
      const ageMs = known === undefined ? Number.POSITIVE_INFINITY : now() - known.at
      if (known !== undefined && ageMs < (failures > 0 ? againMs(failures) : maxAgeMs))
        return describe(known.value, ageMs)
      let isOwnFault = false
      const onOwnFault = () => {
        isOwnFault = true
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
      const unfinished = { unread: 'own_fault', readAgainMs: READ_AGAIN_MS } as const
      if (parsed === 'own_fault') return { page: UNFINISHED, ...unfinished }
      if (parsed !== 'unreadable' && isOwnFault)
        return { page: { ...withTime(parsed, claimedAt), isUnfinished: true }, ...unfinished }
      const found =
        parsed === 'unreadable'
          ? { page: UNREADABLE, failures: failures + 1 }
          : { page: withTime(parsed, claimedAt), failures: 0 }
      kept.set(origin, found)
      return describe(found, 0)
    },
  }
}

const withTime = (page: DirectoryPage, claimedAt: Time): DirectoryPage => ({
  ...page,
  rows: page.rows.map((row) => ({ ...row, claimedAt })),
})

/**
 * Reads the rows of one host.
 * @param maxAgeMs age up to which they are not fetched again. @default an hour
 * @returns the rows, or why a document is unread
 */
export async function readHostRows(
  documents: HostDocuments,
  prober: Pick<Prober, 'document'>,
  origin: string,
  maxAgeMs = REREAD_MS,
): Promise<readonly ListedRow[] | Unread> {
  const fetchDocument: FetchDocument = (url, onOwnFault, maxBytes) =>
    prober.document(url, undefined, onOwnFault, maxBytes)
  const { page, unread } = await documents.read(origin, fetchDocument, maxAgeMs)
  return unread ?? page.rows
}
