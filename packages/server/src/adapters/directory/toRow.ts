import { canonicalizeUrl, isTemplate } from '@touchstone402/shared'
import type { ListedRow } from '../../ports/directory.ts'
import type { SampleInput } from './sampleInput.ts'

/** A row as a directory wrote it, with the parts that were understood. */
export type RowParts = Omit<
  ListedRow,
  'endpoint' | 'host' | 'url' | 'method' | 'body' | 'declaresInput' | 'declaresOutput'
> & {
  /** As listed; may hold template segments. */
  readonly listedUrl: string
  readonly method: string | null
  readonly input?: SampleInput | undefined
  /** @default false */
  readonly declaresOutput?: boolean
}

const MAX_URL = 2_048
const BODILESS = new Set(['GET', 'HEAD'])

/** Claims that say nothing. */
export const NO_CLAIMS: ListedRow['claims'] = {
  network: null,
  asset: null,
  payTo: null,
  amountAtomic: null,
  priceUsd: null,
  healthy: null,
  calls: null,
}

/**
 * Makes a row of one listed URL.
 * @throws InvalidUrlError when the URL names no endpoint.
 */
export function toRow({ listedUrl, method, input, declaresOutput = false, ...rest }: RowParts): ListedRow {
  const canonical = canonicalizeUrl(listedUrl)
  const search = new URL(listedUrl).searchParams
  for (const [name, value] of Object.entries(input?.query ?? {})) search.set(name, value)
  const filled = fillTemplate(canonical.key, input?.path ?? {})
  const query = search.toString()
  const whole = query === '' ? filled : `${filled}?${query}`
  // A template that stays one cannot be asked, with a query or without.
  const url = isTemplate(filled) || whole.length > MAX_URL ? filled : whole
  const wanted = method ?? input?.method ?? null
  return {
    ...rest,
    endpoint: canonical.key,
    host: canonical.host,
    url,
    method: wanted,
    body: wanted !== null && BODILESS.has(wanted) ? null : (input?.body ?? null),
    declaresInput: input?.isDeclared === true && (url === whole || query === ''),
    declaresOutput,
  }
}

/** Puts sample values into `{name}` and `:name` segments; a value that would change the path's shape is left out. */
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
