import { asObject } from '@touchstone402/shared'
import { type Row, readList, readObject, readUrl } from '../lib/fields.ts'

/** Fields that hold the paid endpoints: a list, or an object by path or by name. */
const LISTS = [
  'resources',
  'endpoints',
  'services',
  'items',
  'paidHttpResources',
  'routes',
  'paid_endpoints',
  'pricing',
]
/** Fields of an entry that name its URL. */
export const URL_FIELDS = ['url', 'resource', 'endpoint', 'path', 'route', 'http']
/** Terms that a document states once for all its entries. */
const SHARED_TERMS = ['network', 'asset', 'payTo', 'pay_to']
/** A path or a URL, perhaps after a method. */
const ADDRESS = /^(?:[A-Za-z]+\s+)?(?:\/|https?:\/\/)\S*$/i
const METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/i

/** An entry that is not read yet, and the terms that its document states for all. */
export type WellKnownEntry = { readonly entry: unknown; readonly shared: Row }

/** Lists the entries of a `/.well-known/x402`: a list, or an object with {@link LISTS}, at the top or under `x402`. */
export function listEntries(document: unknown): readonly WellKnownEntry[] {
  if (Array.isArray(document)) return document.map((entry) => ({ entry, shared: {} }))
  const top = asObject(document)
  return [top, readObject(top, 'x402')].flatMap((row) => {
    const shared = readShared(row)
    return LISTS.flatMap((name) => expand(row?.[name])).map((entry) => ({ entry, shared }))
  })
}

function readShared(document: Row | undefined): Row {
  const places = [document, ...['payment', 'price'].map((name) => readObject(document, name))]
  const stated = SHARED_TERMS.flatMap((name) => {
    const value = places.find((place) => place?.[name] !== undefined)?.[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(stated)
}

/** Returns the entries of a list, or of an object by path, by group or by name. Groups named `free…` are left out. */
function expand(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(expandService)
  return Object.entries(asObject(value) ?? {}).flatMap(([key, terms]): readonly unknown[] => {
    const row = asObject(terms)
    if (ADDRESS.test(key)) return row === undefined ? [{ url: key, price: terms }] : expandMethods(key, row)
    if (/^free/i.test(key)) return []
    if (Array.isArray(terms)) return terms.flatMap(expandService)
    if (row !== undefined) return readUrl(row, ...URL_FIELDS) === undefined ? [] : expandService(row)
    return typeof terms === 'string' && ADDRESS.test(terms) ? [terms] : []
  })
}

/** Returns the entries of one path, whose terms may be given by method. */
function expandMethods(url: string, terms: Row): readonly unknown[] {
  const byMethod = Object.entries(terms).flatMap(([key, value]) => {
    const row = METHOD.test(key) ? asObject(value) : undefined
    return row === undefined ? [] : [{ ...row, method: key, url }]
  })
  return byMethod.length > 0 ? byMethod : [{ ...terms, url: readUrl(terms, 'url') ?? url }]
}

/** Returns the entries of a service that contains a list, with their URLs under the service's. */
function expandService(entry: unknown): readonly unknown[] {
  const service = asObject(entry)
  const own = readList(service, ...LISTS)
  if (own === undefined) return [entry]
  const base = (readUrl(service, 'baseUrl', 'base_url', 'url') ?? '').replace(/\/+$/, '')
  return own.map((one) => {
    const row = asObject(one)
    const path = typeof one === 'string' ? one : readUrl(row, 'path')
    return typeof path === 'string' && path.startsWith('/') ? { ...row, url: base + path } : one
  })
}
