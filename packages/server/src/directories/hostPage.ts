import type { ListedRow } from '../facts/facts.ts'
import type { DirectoryPage } from './directory.ts'
import { readWellKnown } from './hostDocuments.ts'
import { readOpenApi } from './openApi.ts'
import { joinPages } from './readPages.ts'

/** The documents of a host as they were fetched; null for one that is not there. */
export type HostTexts = {
  readonly directory: string
  readonly origin: string
  readonly openApi: string | null
  readonly wellKnown: string | null
}

/**
 * Parses the documents of a host, `/openapi.json` and `/.well-known/x402`. If both name an endpoint, the OpenAPI document
 * takes precedence, because it describes the input, and the other one adds the claims that it leaves out.
 */
export function readHostPage({ directory, origin, openApi, wellKnown }: HostTexts): DirectoryPage {
  const first = readOpenApi(directory, origin, parse(openApi))
  const second = readWellKnown(directory, origin, parse(wellKnown))
  const known = new Set(first.rows.map(({ endpoint }) => endpoint))
  const more = new Map(second.rows.map((row) => [row.endpoint, row]))
  const rows = first.rows.map((row) => addClaims(row, more.get(row.endpoint)))
  return joinPages([
    { ...first, rows },
    { ...second, rows: second.rows.filter(({ endpoint }) => !known.has(endpoint)) },
  ])
}

function addClaims(row: ListedRow, other: ListedRow | undefined): ListedRow {
  const { claims } = row
  const more = other?.claims
  const isOther = (['network', 'asset'] as const).some(
    (name) => claims[name] !== null && claims[name] !== more?.[name],
  )
  if (more === undefined || isOther) return row
  const { priceUsd, amountAtomic } = claims.priceUsd === null && claims.amountAtomic === null ? more : claims
  const { network, asset } = more
  return {
    ...row,
    claims: { ...claims, network, asset, priceUsd, amountAtomic, payTo: claims.payTo ?? more.payTo },
  }
}

function parse(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
