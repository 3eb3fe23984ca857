/** A header as it is sent: its name in the client's case, and its value. */
export type HeaderLine = readonly [name: string, value: string]

/** A client identity of the prober. */
export type ClientIdentity = {
  /** Index as text. Records are public, so a descriptive name would tell sellers which client to treat specially. */
  readonly id: string
  /** Its own headers, without those of the connection and the body. */
  readonly headers: Readonly<Record<string, string>>
  /** Returns all header lines of a request, in the client's order. */
  readonly lines: (url: URL, body: string | null) => readonly HeaderLine[]
}

/** Kind of a client, by which it is drawn. */
export type ClientKind = 'ours' | 'node' | 'python' | 'real'

type Recorded = {
  readonly name: string
  readonly kind: ClientKind
  /** How often it is drawn, relative to the others: clients that more agents use are drawn more often. */
  readonly weight: number
  /** Lines of a request without a body, as recorded by `scripts/clients/record.mjs`. */
  readonly bare: readonly HeaderLine[]
  /** Lines of a request with a JSON body. */
  readonly withBody: readonly HeaderLine[]
}

/** Values that depend on the request. */
const HOST = '{host}'
const LENGTH = '{length}'
/** Encodings of `fetch`, which depend on the scheme. */
const ENCODINGS = '{encodings}'

const JSON_TYPE = 'application/json'
const CONNECTION: readonly HeaderLine[] = [
  ['host', HOST],
  ['connection', 'keep-alive'],
]
const ours = (contact: string): readonly HeaderLine[] => [
  ...CONNECTION,
  ['accept', JSON_TYPE],
  ['accept-encoding', 'gzip, deflate, br'],
  ['user-agent', `Touchstone/0.1 (+${contact})`],
]
const FETCH: readonly HeaderLine[] = [
  ['accept', '*/*'],
  ['accept-language', '*'],
  ['sec-fetch-mode', 'cors'],
  ['user-agent', 'node'],
  ['accept-encoding', ENCODINGS],
]
const HTTPX: readonly HeaderLine[] = [
  ['Host', HOST],
  ['Accept', '*/*'],
  ['Accept-Encoding', 'gzip, deflate'],
  ['Connection', 'keep-alive'],
  ['User-Agent', 'python-httpx/0.28.1'],
]
const REQUESTS: readonly HeaderLine[] = [
  ['Host', HOST],
  ['User-Agent', 'python-requests/2.34.2'],
  ['Accept-Encoding', 'gzip, deflate'],
  ['Accept', '*/*'],
  ['Connection', 'keep-alive'],
]
const PYTHON_BODY: readonly HeaderLine[] = [
  ['Content-Length', LENGTH],
  ['Content-Type', JSON_TYPE],
]
const AXIOS_ACCEPT: HeaderLine = ['Accept', 'application/json, text/plain, */*']
const AXIOS_AGENT: HeaderLine = ['User-Agent', 'axios/1.21.1']
const AXIOS_END: readonly HeaderLine[] = [
  ['Accept-Encoding', 'gzip, compress, deflate, br'],
  ['Host', HOST],
  ['Connection', 'keep-alive'],
]
const GOT_AGENT: HeaderLine = ['user-agent', 'got (https://github.com/sindresorhus/got)']
const GOT_END: readonly HeaderLine[] = [
  ['accept-encoding', 'gzip, deflate, br'],
  ['Host', HOST],
  ['Connection', 'keep-alive'],
]

/** All clients by their index. Records name them by it, so none is ever removed or moved. */
const listClients = (contact: string): readonly Recorded[] => [
  {
    name: "Touchstone's prober",
    kind: 'ours',
    weight: 2,
    bare: ours(contact),
    withBody: [...ours(contact), ['content-type', JSON_TYPE], ['content-length', LENGTH]],
  },
  {
    // Versions 20, 22 and 24, and ky, send the same.
    name: "Node's fetch",
    kind: 'node',
    weight: 5,
    bare: [...CONNECTION, ...FETCH],
    withBody: [...CONNECTION, ['content-type', JSON_TYPE], ...FETCH, ['content-length', LENGTH]],
  },
  {
    name: "Python's httpx",
    kind: 'python',
    weight: 2,
    bare: HTTPX,
    withBody: [...HTTPX, ...PYTHON_BODY],
  },
  {
    name: "undici's request",
    kind: 'node',
    weight: 1,
    bare: CONNECTION,
    withBody: [...CONNECTION, ['content-type', JSON_TYPE], ['content-length', LENGTH]],
  },
  {
    name: 'axios',
    kind: 'node',
    weight: 4,
    bare: [AXIOS_ACCEPT, AXIOS_AGENT, ...AXIOS_END],
    withBody: [
      AXIOS_ACCEPT,
      ['Content-Type', JSON_TYPE],
      AXIOS_AGENT,
      ['Content-Length', LENGTH],
      ...AXIOS_END,
    ],
  },
  {
    name: 'got',
    kind: 'node',
    weight: 1,
    bare: [GOT_AGENT, ...GOT_END],
    withBody: [GOT_AGENT, ['content-type', JSON_TYPE], ['content-length', LENGTH], ...GOT_END],
  },
  {
    name: "Python's requests",
    kind: 'python',
    weight: 2,
    bare: REQUESTS,
    withBody: [...REQUESTS, ...PYTHON_BODY],
  },
]

const CLIENTS = listClients('')

/** Programs that are run as clients, where they are installed. */
export type RealClientName = 'curl' | 'requests' | 'httpx'

/** Indexes of the programs, beyond those of the identities that we write. None is ever changed. */
export const REAL_CLIENTS: Readonly<Record<RealClientName, number>> = { curl: 100, requests: 101, httpx: 102 }

/** Sum of the weights of all programs that are installed: about one probe in ten. */
const REAL_WEIGHT = 2

/** Returns the identity of a program, which writes its own header lines; undefined if no program has the index. */
export function realIdentity(index: number): ClientIdentity | undefined {
  const isReal = Object.values(REAL_CLIENTS).includes(index)
  return isReal ? { id: String(index), headers: {}, lines: () => [] } : undefined
}

/** Returns the name of an identity in sentences. @default its id */
export function nameClient(id: string): string {
  const [program] = Object.entries(REAL_CLIENTS).find(([, index]) => String(index) === id) ?? []
  return (
    CLIENTS[Number(id)]?.name ?? (program === undefined ? `client ${id}` : `${program}, run as a program`)
  )
}

/** A client as the lot knows it. */
export type DrawnClient = { readonly index: number; readonly kind: ClientKind; readonly weight: number }

/**
 * Returns the clients that may be drawn.
 * @param count number of identities that the prober writes
 * @param real indexes of the programs that it runs
 */
export function listDrawn(count: number, real: readonly number[] = []): readonly DrawnClient[] {
  const written = Array.from({ length: count }, (_, index): DrawnClient => {
    const { kind, weight } = CLIENTS[index] ?? { kind: 'node', weight: 1 }
    return { index, kind, weight }
  })
  const run = real.map((index): DrawnClient => ({ index, kind: 'real', weight: REAL_WEIGHT / real.length }))
  return [...written, ...run]
}

/**
 * Creates the identities of the prober. The first identifies itself; the others send exactly the header lines of stock
 * clients, to detect sellers that show different terms to different clients.
 * @param contact URL or address in the first identity's user agent
 */
export function createClients(contact: string): readonly ClientIdentity[] {
  return listClients(contact).map(({ bare, withBody }, index) => ({
    id: String(index),
    headers: ownHeaders(bare),
    lines: (url, body) => fill(body === null ? bare : withBody, url, body ?? ''),
  }))
}

function fill(lines: readonly HeaderLine[], url: URL, body: string): readonly HeaderLine[] {
  const values: Readonly<Record<string, string>> = {
    [HOST]: url.host,
    [LENGTH]: String(new TextEncoder().encode(body).length),
    [ENCODINGS]: url.protocol === 'https:' ? 'br, gzip, deflate' : 'gzip, deflate',
  }
  return lines.map(([name, value]) => [name, values[value] ?? value])
}

const OF_CONNECTION: ReadonlySet<string> = new Set(['host', 'connection'])

function ownHeaders(bare: readonly HeaderLine[]): Record<string, string> {
  const named = fill(bare, new URL('https://host/'), '').map(([name, value]) => [name.toLowerCase(), value])
  return Object.fromEntries(named.filter(([name = '']) => !OF_CONNECTION.has(name)))
}
