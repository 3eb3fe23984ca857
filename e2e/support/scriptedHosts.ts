import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { encodeBase64Json } from '@touchstone402/shared'
import { serve } from './serve.ts'

/** A request as a seller sees it. */
export type Asked = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Hours since the cast opened, by the clock of the service. */
  readonly hours: number
}

/** An entry of `accepts`, of version 2. */
export type Offer = Readonly<Record<string, unknown>>

/** Answer of a seller: offers to pay, or a raw response. */
export type Reply =
  | readonly Offer[]
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }

/** A scripted seller. */
export type Script = {
  readonly reply: (asked: Asked) => Reply
  /** Entries of a directory about it, by hours since its cast opened. @default `/api` from the start */
  readonly listed?: (hours: number) => readonly Listed[]
  /** Content of `/.well-known/x402`. */
  readonly wellKnown?: (hours: number) => object | undefined
  /** Headers and extensions beside the offers. */
  readonly headers?: Readonly<Record<string, string>>
  readonly extend?: (offers: readonly Offer[], url: string) => Promise<object>
}

/** An entry of a directory. */
export type Listed = { readonly path: string; readonly accepts?: readonly Offer[]; readonly input?: object }

/** A payment that a seller got, and the request that it came with. */
export type Payment = { readonly host: string } & Asked

/** The sellers of one test file, each at `<name>.localhost`. */
export type Cast = {
  readonly payments: readonly Payment[]
  /** Methods that were asked, by name of the seller. */
  readonly methods: ReadonlyMap<string, ReadonlySet<string>>
  /** Unix time in ms from which its hours count. */
  readonly startedAt: number
  url(name: string, path?: string): string
}

/** A server for the sellers of many files, with a directory that lists them. */
export type ScriptedHosts = {
  readonly port: number
  /** Lists sellers, whose names no other file has. @param startedAt Unix time in ms from which their hours count */
  open(scripts: Readonly<Record<string, Script>>, startedAt: number): Cast
}

type Opened = {
  readonly scripts: Readonly<Record<string, Script>>
  readonly startedAt: number
  readonly payments: Payment[]
  readonly methods: Map<string, Set<string>>
  readonly url: Cast['url']
}

const HOUR = 3_600_000
const LISTED: readonly Listed[] = [{ path: '/api' }]
const OUTPUT = { info: { input: { type: 'http', method: 'GET' }, output: { type: 'json' } } }

/** Starts the server on a port of loopback. @param settle pays, and returns the receipt */
export async function serveScriptedHosts(
  now: () => number,
  settle: (payload: unknown, offer: Offer) => Promise<Record<string, unknown>>,
): Promise<ScriptedHosts> {
  const casts: Opened[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x')
    const name = (request.headers.host ?? '').replace(/(\.localhost)?(:\d+)?$/, '')
    if (pathname === '/discovery/resources') return sendJson(response, 200, list())
    const cast = casts.find(({ scripts }) => Object.hasOwn(scripts, name))
    const script = cast?.scripts[name]
    if (cast === undefined || script === undefined) return sendJson(response, 404, {})
    const hours = (now() - cast.startedAt) / HOUR
    if (pathname === '/.well-known/x402') {
      const document = script.wellKnown?.(hours)
      return sendJson(response, document === undefined ? 404 : 200, document ?? {})
    }
    const method = request.method ?? ''
    cast.methods.set(name, (cast.methods.get(name) ?? new Set()).add(method))
    const asked: Asked = {
      method,
      path: pathname,
      query: search,
      headers: request.headers,
      hours,
      body: await text(request),
    }
    const reply = script.reply(asked)
    if ('status' in reply) return response.writeHead(reply.status, reply.headers).end(reply.body)
    const [offer] = reply
    const paid = request.headers['payment-signature']
    if (typeof paid === 'string' && offer !== undefined) {
      cast.payments.push({ host: name, ...asked })
      const receipt = await settle(JSON.parse(Buffer.from(paid, 'base64').toString()), offer)
      response.setHeader('PAYMENT-RESPONSE', encodeBase64Json(receipt))
      return sendJson(response, 200, { rain: 0.4 })
    }
    const url = `http://${request.headers.host}${pathname}`
    const extensions = { bazaar: OUTPUT, ...(await script.extend?.(reply, url)) }
    const document = {
      x402Version: 2,
      error: 'Payment required',
      resource: { url },
      accepts: reply,
      extensions,
    }
    response.writeHead(402, { ...script.headers, 'PAYMENT-REQUIRED': encodeBase64Json(document) }).end('{}')
  }

  const url = (name: string, path = '/api') => `http://${name}.localhost:${server.port}${path}`
  const list = () => {
    const items = casts.flatMap(({ scripts, startedAt }) => {
      const hours = (now() - startedAt) / HOUR
      return Object.entries(scripts).flatMap(([name, { listed }]) =>
        (listed?.(hours) ?? LISTED).map(({ path, accepts, input = { type: 'http', method: 'GET' } }) => ({
          resource: url(name, path),
          type: 'http',
          x402Version: 2,
          ...(accepts !== undefined && { accepts }),
          lastUpdated: new Date(now()).toISOString(),
          extensions: { bazaar: { info: { input, output: { type: 'json' } } } },
        })),
      )
    })
    return { x402Version: 2, items, pagination: { limit: items.length, offset: 0, total: items.length } }
  }
  const server = await serve(answer)
  return {
    port: server.port,
    open(scripts, startedAt) {
      const cast: Opened = { scripts, startedAt, payments: [], methods: new Map(), url }
      casts.push(cast)
      return cast
    },
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
