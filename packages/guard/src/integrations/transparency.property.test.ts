import { Readable } from 'node:stream'
import { fuzzRuns } from '@touchstone402/shared/testing'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import axios from 'axios'
import axios7 from 'axios-1.7'
import axios13 from 'axios-1.13'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPublicFetch } from '../node/publicFetch.ts'
import { CLIENT_NAMES, createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { type Recorder, readData, startRecorder } from '../testing/recorder.ts'
import type { FetchLike } from '../types.ts'
import { createGuard } from './createGuard.ts'

// A free seller gets the same bytes through the guard as from the stock client without it.

let seller: Recorder
beforeAll(async () => {
  seller = await startRecorder()
})
afterAll(() => seller.stop())

const guard = () => createGuard({ service: { url: 'http://127.0.0.1:9' } })

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).map((name) => `x-${name}`)
const value = fc.stringMatching(/^[!-~]([ -~]{0,10}[!-~])?$/)
const bytes = fc.uint8Array({ maxLength: 60 })

const path = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.stringMatching(/^[a-z]{1,6}(\?[a-z]=[a-z%20+]{0,4})?$/).map((name) => `/${name}`),
  },
  fc.constantFrom(
    '/encoded/gzip',
    '/encoded/deflate',
    '/encoded/br',
    '/status/404',
    '/status/500',
    '/ä ö#part',
  ),
  fc
    .tuple(fc.constantFrom('redirect', 'elsewhere'), fc.constantFrom(301, 302, 303, 307, 308))
    .map(([kind, status]) => `/${kind}/${status}/end`),
)
const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')

/** Factory of a body, called for each send. */
type Body = { kind: string; make: () => unknown }
const body: fc.Arbitrary<Body> = fc
  .record({
    kind: fc.constantFrom('none', 'text', 'bytes', 'buffer', 'search', 'form', 'blob', 'stream', 'json'),
    text,
    bytes,
  })
  .map(({ kind, text, bytes }) => ({ kind, make: () => makeBody(kind, text, bytes) }))

function makeBody(kind: string, text: string, bytes: Uint8Array<ArrayBuffer>): unknown {
  const form = new FormData()
  switch (kind) {
    case 'none':
      return undefined
    case 'text':
      return text
    case 'bytes':
      return bytes
    case 'buffer':
      return bytes.buffer
    case 'search':
      return new URLSearchParams([['q', text]])
    case 'form':
      form.append('name', text)
      form.append('file', new Blob([bytes], { type: 'image/png' }), 'a.png')
      return form
    case 'blob':
      return new Blob([bytes], { type: 'text/csv' })
    case 'stream':
      return new Blob([bytes, text]).stream()
    default:
      return { [text]: [text, { deep: null }] }
  }
}

const hasBody = (verb: string) => verb !== 'GET' && verb !== 'HEAD'

const fetchCall = fc.record({
  path,
  method,
  body: body.filter(({ kind }) => kind !== 'json'),
  headers: fc.array(fc.tuple(token, value), { maxLength: 4 }),
  headersAs: fc.constantFrom('list', 'object', 'Headers'),
  input: fc.constantFrom('text', 'URL', 'Request'),
  redirect: fc.constantFrom(undefined, 'follow', 'manual', 'error'),
})

type Call = typeof fetchCall extends fc.Arbitrary<infer Made> ? Made : never

function sendBy(pay: FetchLike, call: Call) {
  return async (base: string) => {
    const { path, method, body, headers: list, headersAs, input, redirect } = call
    const headers =
      headersAs === 'list' ? list : headersAs === 'object' ? Object.fromEntries(list) : new Headers(list)
    const init: RequestInit = { method, headers }
    if (redirect !== undefined) init.redirect = redirect as RequestRedirect
    const content = hasBody(method) ? body.make() : undefined
    if (content !== undefined) Object.assign(init, { body: content, duplex: 'half' })
    const url = base + path
    const response = await (input === 'Request'
      ? pay(new Request(url, init))
      : pay(input === 'URL' ? new URL(url) : url, init))
    return [response.status, response.url, response.redirected, [...response.headers], await response.text()]
  }
}

/** Wraps a `fetch`, with the guard or without it. */
type Integration = (fetch: FetchLike, isGuarded: boolean) => FetchLike
const stock =
  (name: (typeof CLIENT_NAMES)[number]): Integration =>
  (fetch, isGuarded) =>
    STOCK_CLIENTS[name](isGuarded ? guard().fetch(fetch) : fetch, createCountingAccount().account)
const INTEGRATIONS: Record<string, Integration> = {
  'guard.fetch': (fetch, isGuarded) => (isGuarded ? guard().fetch(fetch) : fetch),
  ...Object.fromEntries(CLIENT_NAMES.map((name) => [`guard.fetch under ${name}`, stock(name)])),
  'guard.hooks': (fetch, isGuarded) => {
    const client = registerExactEvmScheme(new x402Client(), { signer: createCountingAccount().account })
    return wrapFetchWithPayment(
      fetch as typeof globalThis.fetch,
      isGuarded ? guard().hooks(client, { url: seller.url, method: 'GET' }) : client,
    ) as FetchLike
  },
  'guard.account': (fetch, isGuarded) => {
    const { account } = createCountingAccount()
    const signer = (isGuarded ? guard().account(account) : account) as typeof account
    return wrapFetchWithPayment(
      fetch as typeof globalThis.fetch,
      registerExactEvmScheme(new x402Client(), { signer }),
    ) as FetchLike
  },
}

// The client of the agent tools.
const publicFetch = createPublicFetch({ allowPrivateHosts: true, env: {} })
INTEGRATIONS['guard.fetch over createPublicFetch'] = (_, isGuarded) =>
  isGuarded ? guard().fetch(publicFetch) : publicFetch

describe.each(Object.keys(INTEGRATIONS))('%s', (name) => {
  test('behavior: a free seller receives what the stock client sends without the guard', async () => {
    const integration = INTEGRATIONS[name] as Integration
    await fc.assert(
      fc.asyncProperty(fetchCall, async (call) => {
        const plain = await seller.record(sendBy(integration(fetch, false), call))
        expect(await seller.record(sendBy(integration(fetch, true), call))).toEqual(plain)
      }),
      { numRuns: fuzzRuns(0.6) },
    )
  })
})

test('behavior: createPublicFetch sends what fetch sends, except for the order of headers', async () => {
  const unordered = ({ received, outcome }: { received: string[]; outcome: unknown }) => ({
    received: received.map((text) => {
      const [head = '', ...body] = text.split('\n\n')
      const [first, ...headers] = head.split('\n')
      const names = headers.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
      return [first, names.filter((line) => !line.startsWith('connection:')).sort(), body.join('\n\n')]
    }),
    outcome,
  })
  const isPlain = ({ path, redirect, body }: Call) =>
    !path.startsWith('/elsewhere') && redirect !== 'error' && body.kind !== 'stream'
  await fc.assert(
    fc.asyncProperty(fetchCall.filter(isPlain), async (call) => {
      const plain = await seller.record(sendBy(fetch, call))
      // The fetch of Node gives up some redirects of bodies that it could send again.
      fc.pre(Array.isArray(plain.outcome))
      const sent = await seller.record(sendBy(publicFetch, call))
      expect(unordered(sent).received).toEqual(unordered(plain).received)
      const [status, , , , answer] = plain.outcome as unknown[]
      expect(sent.outcome).toMatchObject({ 0: status, 4: answer })
    }),
  )
})

const param = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.array(text, { maxLength: 3 }),
  fc.record({ deep: text }),
)
const params = fc.option(
  fc.oneof(
    fc.dictionary(fc.constantFrom('a', 'b', 'c d', 'e[]'), param, { maxKeys: 3 }),
    text.map((q) => new URLSearchParams({ q })),
  ),
  { nil: undefined },
)
const header = fc.oneof(
  value,
  fc.array(value, { minLength: 1, maxLength: 3 }),
  fc.constantFrom(null, false, undefined),
)
const headers = fc.dictionary(
  fc.oneof(token, fc.constantFrom('Accept', 'Content-Type', 'User-Agent', 'x-default', 'Authorization')),
  header,
  { maxKeys: 3 },
)
const auth = fc.option(fc.record({ username: value, password: value }), { nil: undefined, freq: 3 })

const axiosCall = fc.record({
  adapter: fc.constantFrom('http', 'fetch'),
  adapterIn: fc.constantFrom('defaults', 'request', 'function', 'interceptor'),
  defaults: fc.record(
    {
      baseURL: fc.constantFrom('/api', '/api/', ''),
      params,
      headers: headers.map((common) => ({ common: { 'x-default': 'a', ...common } })),
      auth,
      allowAbsoluteUrls: fc.boolean(),
      maxRedirects: fc.constantFrom(0, 1, 5),
    },
    { requiredKeys: [] },
  ),
  isAbsolute: fc.boolean(),
  path,
  method,
  body,
  isNodeStream: fc.boolean(),
  own: fc.record(
    {
      params,
      headers,
      auth,
      responseType: fc.constantFrom('text', 'json', 'arraybuffer', 'stream', 'blob'),
      decompress: fc.boolean(),
      validateStatus: fc.constantFrom(null, () => true),
      fetchOptions: fc.constantFrom({ redirect: 'manual' }, {}),
      paramsSerializer: fc.constantFrom({ indexes: null }, { encode: encodeURI }),
      maxBodyLength: fc.constantFrom(5, 1000),
      onUploadProgress: fc.constant(() => {}),
    },
    { requiredKeys: [] },
  ),
  drops: fc.constantFrom(undefined, 'params', 'baseURL', 'auth'),
})

type AxiosCall = typeof axiosCall extends fc.Arbitrary<infer Made> ? Made : never
type Library = typeof axios

function sendByAxios(library: Library, call: AxiosCall, isGuarded: boolean) {
  return async (root: string) => {
    const { adapter, adapterIn, defaults, isAbsolute, path, method, body, isNodeStream, own, drops } = call
    const base = defaults.baseURL === undefined ? undefined : root + defaults.baseURL
    const api = library.create({
      ...(defaults as object),
      ...(base !== undefined && { baseURL: base }),
      ...(adapterIn === 'defaults' && { adapter }),
    })
    if (isGuarded) guard().axios(api)
    api.interceptors.request.use((config) => {
      // As an interceptor that signs requests, or moves their base, may do.
      if (drops === 'baseURL' && config.baseURL !== undefined) {
        Object.assign(config, { url: `${root}${path}`, baseURL: undefined })
      } else if (drops !== undefined) delete config[drops]
      if (adapterIn === 'interceptor') config.adapter = adapter
      return config
    })
    // The http adapter does not frame a stream after another method, which breaks the next request of the connection.
    const isFramed = body.kind !== 'stream' || /^P/.test(method)
    const content = isFramed ? body.make() : undefined
    const data =
      content instanceof ReadableStream && isNodeStream ? Readable.fromWeb(content as never) : content
    const given = {
      request: { adapter },
      function: { adapter: library.getAdapter(adapter as 'http') },
    }[adapterIn as 'request']
    const config = { method, data, url: isAbsolute ? root + path : path, ...(own as object), ...given }
    const settled = await api.request(config).then(
      (response) => ({ response }),
      (error) => {
        if (error.response === undefined) throw error
        return {
          response: error.response,
          code: error.code,
          name: error.constructor.name,
          text: error.message,
        }
      },
    )
    const { response, ...error } = settled
    const { status, statusText, headers, data: answer } = response
    const names = JSON.stringify(headers)
    return { ...error, status, statusText, names, data: await readData(answer) }
  }
}

describe.each([
  ['1.7', axios7 as unknown as Library],
  ['1.13', axios13 as unknown as Library],
  ['the newest', axios],
] as const)('guard.axios over axios %s', (_, library) => {
  test('behavior: a free seller receives what plain axios sends', async () => {
    await fc.assert(
      fc.asyncProperty(axiosCall, async (call) => {
        const plain = await seller.record(sendByAxios(library, call, false))
        expect(await seller.record(sendByAxios(library, call, true))).toEqual(plain)
      }),
      { numRuns: fuzzRuns(0.6) },
    )
  })
})
