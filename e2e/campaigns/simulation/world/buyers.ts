import { gunzipSync } from 'node:zlib'
import { asObject, decodeBase64Json, parseJson, toCaip2 } from '@touchstone402/shared'
import { addressOf, SOLANA_THIEF } from './names.ts'
import type { Host, SellerRequest, SellerResponse, TermsOf } from './types.ts'

const DAY = 86_400_000

type Headers = SellerRequest['headers']

/** Own headers of stock clients in their order, as they ask over TLS. Sources: recorded requests, at the stated versions. */
export const STOCK_CLIENTS: readonly Headers[] = [
  // fetch of Node 20, 22 and 24, and ky.
  {
    accept: '*/*',
    'accept-language': '*',
    'sec-fetch-mode': 'cors',
    'user-agent': 'node',
    'accept-encoding': 'br, gzip, deflate',
  },
  // axios 1.21.
  {
    accept: 'application/json, text/plain, */*',
    'user-agent': 'axios/1.21.1',
    'accept-encoding': 'gzip, compress, deflate, br',
  },
  // got 14.
  {
    'user-agent': 'got (https://github.com/sindresorhus/got)',
    'accept-encoding': 'gzip, deflate, br',
  },
  // Python, requests 2.34.
  { 'user-agent': 'python-requests/2.34.2', 'accept-encoding': 'gzip, deflate', accept: '*/*' },
  // Python, httpx 0.28.
  { accept: '*/*', 'accept-encoding': 'gzip, deflate', 'user-agent': 'python-httpx/0.28.1' },
  // Go, net/http.
  { 'user-agent': 'Go-http-client/2.0', 'accept-encoding': 'gzip' },
  // Rust, reqwest 0.12.
  { accept: '*/*' },
  // curl 8.
  { 'user-agent': 'curl/8.9.1', accept: '*/*' },
]

/** An offer as the most lenient client reads it. */
export type BoughtOffer = {
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly amountAtomic: bigint
}

/** Returns every offer of an answer that some stock client could sign. */
export function readLeniently({ status, headers, body, decoded }: SellerResponse): readonly BoughtOffer[] {
  if (status !== 402) return []
  const header = headers['payment-required']
  const documents = [
    header === undefined ? undefined : decodeBase64Json(header),
    parseText(decoded ?? inflate(body, headers['content-encoding'])),
  ]
  return documents.flatMap((document) => {
    const accepts = asObject(document)?.accepts
    return Array.isArray(accepts) ? accepts.flatMap(readEntry) : []
  })
}

function inflate(body: string | Buffer, encoding: string | undefined): string {
  const codings = (encoding ?? '').split(',').filter((coding) => coding.trim() === 'gzip')
  return codings.reduce((bytes) => gunzipSync(bytes), Buffer.from(body)).toString()
}

function parseText(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function readEntry(entry: unknown): readonly BoughtOffer[] {
  const fields = new Map(
    Object.entries(asObject(entry) ?? {}).map(([name, value]) => [
      name.toLowerCase().replaceAll('_', ''),
      value,
    ]),
  )
  const amount = fields.get('amount') ?? fields.get('maxamountrequired')
  const text = String(amount)
  if (!/^(\d+|0x[\da-f]+)$/i.test(text)) return []
  return [
    {
      network: toCaip2(String(fields.get('network')), 1) ?? String(fields.get('network')),
      asset: String(fields.get('asset')),
      payTo: String(fields.get('payto')),
      amountAtomic: BigInt(text),
    },
  ]
}

/** Whether an offer is one of the terms of a period. @param since milliseconds since the start */
export const isAmong =
  (since: number, { payTo, network, amountAtomic }: BoughtOffer) =>
  (terms: TermsOf): boolean =>
    since >= terms.fromDay * DAY &&
    since < terms.toDay * DAY &&
    (terms.network === undefined || terms.network === network) &&
    (terms.payTo === undefined || terms.payTo.toLowerCase() === payTo.toLowerCase()) &&
    (terms.aboveAtomic === undefined || amountAtomic > BigInt(terms.aboveAtomic))

/** Returns the terms by which buyers of a host lose their money. */
export function theftOf({ host, isHonest, theft }: Host): readonly TermsOf[] {
  if (isHonest) return []
  if (theft !== undefined) return theft
  const always = { fromDay: 0, toDay: Number.POSITIVE_INFINITY }
  return [
    { ...always, payTo: addressOf(`thief of ${host}`) },
    { ...always, payTo: SOLANA_THIEF },
  ]
}

/** Returns the offers of an answer by which a buyer loses its money. */
export function findTheft(host: Host, since: number, answer: SellerResponse): readonly BoughtOffer[] {
  const theft = theftOf(host)
  if (theft.length === 0) return []
  return readLeniently(answer).filter((offer) => theft.some(isAmong(since, offer)))
}

/** Whether a buyer of an answer may lose its money. */
export const asksTheft = (host: Host, since: number, answer: SellerResponse): boolean =>
  findTheft(host, since, answer).length > 0
