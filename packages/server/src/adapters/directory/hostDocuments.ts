import { asObject } from '@touchstone402/shared'
import type { DirectoryPage, ListedRow } from '../../ports/directory.ts'
import {
  type Row,
  readList,
  readMethod,
  readNumber,
  readObject,
  readText,
  readTime,
} from '../../remote/fields.ts'
import { readClaims } from './claims.ts'
import { mapPage } from './readPages.ts'
import { hasOutput, readBazaarInput, readV1Input } from './sampleInput.ts'
import { NO_CLAIMS, toRow } from './toRow.ts'

/** Maximum number of entries read from one document. */
export const MAX_ENTRIES = 1_000

/**
 * Reads `/.well-known/x402`: `{ resources }` (or `endpoints`, or `items`), where an entry is a URL, `METHOD URL`, or an
 * object with terms. Rejects entries of other hosts.
 */
export function readWellKnown(directory: string, origin: string, document: unknown): DirectoryPage {
  const entries = readList(asObject(document), 'resources', 'endpoints', 'items') ?? []
  return mapPage(entries.slice(0, MAX_ENTRIES), (entry) => mapEntry(directory, origin, entry))
}

function mapEntry(directory: string, origin: string, entry: unknown): ListedRow {
  const row = typeof entry === 'string' ? { url: entry } : asObject(entry)
  const text = [row?.url, row?.resource, row?.path].find((value) => typeof value === 'string')
  if (row === undefined || typeof text !== 'string') throw new Error('entry without a URL')
  const [, verb, rest] = /^([A-Za-z]+)\s+(\S+)$/.exec(text) ?? []
  const listedUrl = resolveOwn(origin, rest ?? text)
  // Terms are in `accepts`, or in the entry itself.
  const { claims, entry: terms } = readClaims(readList(row, 'accepts') ?? [row])
  const extension = readObject(readObject(row, 'extensions'), 'bazaar')
  return toRow({
    directory,
    listedUrl,
    method: readMethod({ verb }, 'verb') ?? readMethod(row, 'method'),
    input: readBazaarInput(extension) ?? readV1Input(terms),
    declaresOutput: hasOutput(extension, terms),
    title: readText(row, 'description', 'name'),
    category: readText(row, 'category'),
    claims: { ...claims, priceUsd: claims.priceUsd ?? readNumber(row, 'price_usd', 'priceUsd') },
    claimedAt: readTime(row, 'lastUpdated', 'updatedAt'),
    ownClaim: true,
  })
}

/**
 * Resolves a URL in a host's own document.
 * @throws for a URL of another host
 */
export function resolveOwn(origin: string, text: string): string {
  const url = new URL(text, `${origin}/`)
  if (url.host !== new URL(origin).host) throw new Error('entry of another host')
  return url.href
}

/** Returns claims with only a price in dollars. */
export function claimPrice(payment: Row | undefined): ListedRow['claims'] {
  const price = readObject(payment, 'price')
  const text = price?.amount ?? payment?.price ?? payment?.amount
  const usd =
    typeof text === 'string' && /^\$?[0-9]{1,9}(\.[0-9]{1,18})?$/.test(text)
      ? Number(text.replace('$', ''))
      : text
  return { ...NO_CLAIMS, priceUsd: readNumber({ usd }, 'usd') }
}
