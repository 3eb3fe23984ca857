import { canonicalizeUrl, isTemplate } from '@touchstone402/shared'
import type { ListedRow } from '../../ports/directory.ts'
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

/** Empty claims. */
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
 * Builds the row of a listed URL.
 * @throws InvalidUrlError for a URL that is not a valid endpoint
 */
export function toRow({ listedUrl, method, input, declaresOutput = false, ...rest }: RowParts): ListedRow {
  const canonical = canonicalizeUrl(listedUrl)
  const search = new URL(listedUrl).searchParams
  for (const [name, value] of Object.entries(input?.query ?? {})) search.set(name, value)
  const filled = fillTemplate(canonical.key, input?.path ?? {})
  const query = search.toString()
  const whole = query === '' ? filled : `${filled}?${query}`
  // An unfilled template cannot be probed, so its query does not matter.
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
