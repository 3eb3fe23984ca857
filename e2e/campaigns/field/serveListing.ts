import { asObject, encodeBase64Json, X402_HEADERS } from '@touchstone402/shared'
import type { Answer, Seller } from './openSellers.ts'
import type { FieldListing, Row } from './readListings.ts'

const METHODS = /^(GET|HEAD|POST|PUT|PATCH|DELETE)$/
const V2_TERMS = ['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra']

/**
 * Creates the seller of a listing: its challenge in the body (v1) or the header (v2), after a check of the method and of
 * the declared fields. Sellers with another method answer 405, as routers do, and missing fields 400.
 * @param url the listed URL at the address where it is served
 */
export function serveListing({ row }: FieldListing, url: string): Seller {
  const entries = (Array.isArray(row.accepts) ? row.accepts : []).map((entry) =>
    toOffer(asObject(entry) ?? {}),
  )
  const { input = {}, output } = asObject(entries[0]?.outputSchema) ?? {}
  const declared = { input, ...(output !== undefined && { output: { type: 'json' } }) }
  const version = row.x402Version === 2 ? 2 : 1
  const answer = version === 1 ? challengeV1(entries, url, declared) : challengeV2(entries, url, declared)
  const method = String(asObject(input)?.method ?? 'GET').toUpperCase()
  // Forms are parsed after the payment, by the handler itself.
  const isJson = !/form/.test(String(asObject(input)?.bodyType))
  const fields = method === 'GET' || !isJson ? [] : namesOf(input, 'bodyFields', 'body')
  return (request) => {
    if (METHODS.test(method) && request.method !== method)
      return { status: 405, headers: { allow: method }, body: {} }
    const isWhole = namesOf(input, 'queryParams').every((name) => request.url.searchParams.has(name))
    const sent = asObject(request.body) ?? {}
    const hasFields = fields.every((name) => name in sent)
    return isWhole && hasFields ? answer : { status: 400, headers: {}, body: { error: 'input is missing' } }
  }
}

/** Directories give amounts as numbers and leave times out; challenges do neither. */
function toOffer({ amount, maxAmountRequired = amount, ...entry }: Row): Row {
  const text = String(maxAmountRequired ?? '')
  return { maxTimeoutSeconds: 60, ...entry, amount: text, maxAmountRequired: text }
}

/** Returns the names of the declared fields that hold a sample or a schema of one. */
function namesOf(input: unknown, ...names: readonly string[]): string[] {
  const fields = names.flatMap((name) => asObject(asObject(input)?.[name]) ?? [])[0] ?? {}
  return Object.entries(fields).flatMap(([name, value]) => {
    const isSchema = typeof asObject(value)?.type === 'string'
    const isPlain = typeof value !== 'object' || value === null
    return isPlain || isSchema ? [name] : []
  })
}

function challengeV1(entries: readonly Row[], resource: string, outputSchema: Row): Answer {
  const accepts = entries.map(({ amount: _amount, ...entry }) => ({
    ...entry,
    resource,
    description: 'A paid answer',
    outputSchema,
  }))
  const body = { x402Version: 1, error: 'X-PAYMENT header is required', accepts }
  return { status: 402, headers: {}, body }
}

function challengeV2(entries: readonly Row[], url: string, info: Row): Answer {
  const document = {
    x402Version: 2,
    error: 'Payment required',
    resource: { url, description: 'A paid answer', mimeType: 'application/json' },
    accepts: entries.map((entry) =>
      Object.fromEntries(V2_TERMS.flatMap((name) => (name in entry ? [[name, entry[name]]] : []))),
    ),
    extensions: { bazaar: { info } },
  }
  return { status: 402, headers: { [X402_HEADERS.required]: encodeBase64Json(document) }, body: {} }
}
