import { type CanonicalUrl, canonicalizeUrl, isTemplate } from '@touchstone402/shared'
import type { ListedRow } from '../facts/facts.ts'
import type { SkipReason } from '../facts/skips.ts'
import type { SampleInput } from './sampleInput.ts'

/** The parsed parts of a listed row. */
export type RowParts = Omit<
  ListedRow,
  'endpoint' | 'host' | 'url' | 'method' | 'body' | 'declaresInput' | 'declaresOutput'
> & {
  /** May contain template segments. */
  readonly listedUrl: string
  readonly method: string | null
  readonly input?: SampleInput | undefined
  /** @default false */
  readonly declaresOutput?: boolean
}

const MAX_URL = 2_048
const BODILESS = new Set(['GET', 'HEAD'])

/** Thrown for a row to skip. */
export class SkippedRowError extends Error {
  override readonly name = 'SkippedRowError'
  constructor(readonly reason: SkipReason) {
    super(reason)
  }
}

/**
 * Builds the row of a listed URL.
 * @throws SkippedRowError for a URL that is not a valid HTTP endpoint
 */
export function toRow({ listedUrl, method, input, declaresOutput = false, ...rest }: RowParts): ListedRow {
  const canonical = readEndpoint(listedUrl)
  const search = new URL(listedUrl).searchParams
  for (const [name, value] of Object.entries(input?.query ?? {})) search.set(name, value)
  const filled = fillTemplate(canonical.key, input?.path ?? {})
  const query = search.toString()
  const whole = query === '' ? filled : `${filled}?${query}`
  // An unfilled template cannot be probed, so its query does not matter.
  const url = isTemplate(filled) || whole.length > MAX_URL ? filled : whole
  const wanted = method ?? input?.method ?? null
  const isOwn = rest.ownClaim && url === whole
  const samples = isOwn ? listSamples(filled, search, input?.others ?? []) : []
  const isUnpaidGet = isOwn && (wanted ?? 'GET') === 'GET'
  const generated = isUnpaidGet ? listSamples(filled, search, input?.generated ?? []) : []
  const body = wanted !== null && BODILESS.has(wanted) ? null : (input?.body ?? null)
  return {
    ...rest,
    endpoint: canonical.key,
    host: canonical.host,
    url,
    method: wanted,
    body,
    ...(samples.length > 0 && { samples }),
    ...(generated.length > 0 && { generated }),
    declaresInput:
      input?.isDeclared === true && (url === whole || query === '') && body === (input?.body ?? null),
    declaresOutput,
  }
}

/** Returns the URLs with another value of one parameter. */
function listSamples(base: string, search: URLSearchParams, others: SampleInput['others']): string[] {
  const urls = others.map(([name, value]) => {
    const other = new URLSearchParams(search)
    other.set(name, value)
    return `${base}?${other}`
  })
  return urls.filter((url) => url.length <= MAX_URL)
}

function readEndpoint(listedUrl: string): CanonicalUrl {
  try {
    return canonicalizeUrl(listedUrl)
  } catch {
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(listedUrl)?.[1]
    throw new SkippedRowError(scheme === undefined || /^https?$/i.test(scheme) ? 'url_invalid' : 'not_http')
  }
}

/** Fills `{name}` and `:name` segments with sample values, except values that would change the number of segments. */
function fillTemplate(key: string, values: Readonly<Record<string, string>>): string {
  if (!isTemplate(key)) return key
  const filled = key.replace(
    /(?<=\/)(?:%7B([A-Za-z0-9_-]+)%7D|:([A-Za-z0-9_-]+))(?=\/|$)/g,
    (segment, a, b) => {
      const value = values[a ?? b]
      return value === undefined || value === '' || value === '.' || value === '..'
        ? segment
        : encodeURIComponent(value)
    },
  )
  return filled.length > MAX_URL ? key : filled
}
