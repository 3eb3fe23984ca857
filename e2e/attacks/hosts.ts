import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { encodeBase64Json } from '@touchstone402/shared'
import { serve } from '../support/serve.ts'

/** A request as a seller sees it. */
export type Asked = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Hours since the start, by the clock of the service. */
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
  /** Entries of a directory about it, by hours since the start. @default `/api` from the start */
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

/** The sellers, each at `<name>.localhost`, and a directory that lists them. */
export type Hosts = {
  readonly port: number
  readonly payments: readonly Payment[]
  /** Methods that were asked, by name of the seller. */
  readonly methods: ReadonlyMap<string, ReadonlySet<string>>
  url(name: string, path?: string): string
  stop(): Promise<void>
}

const LISTED: readonly Listed[] = [{ path: '/api' }]
const OUTPUT = { info: { input: { type: 'http', method: 'GET' }, output: { type: 'json' } } }

/** Opens the sellers and the directory on one port of loopback. @param settle pays, and returns the receipt */
export async function openHosts(
  scripts: Readonly<Record<string, Script>>,
  hoursNow: () => number,
  settle: (payload: unknown, offer: Offer) => Promise<Record<string, unknown>>,
): Promise<Hosts> {
  const payments: Payment[] = []
  const methods = new Map<string, Set<string>>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x')
    const name = (request.headers.host ?? '').replace(/\.localhost(:\d+)?$/, '')
    if (pathname === '/discovery/resources') return sendJson(response, 200, list())
    const script = scripts[name]
    if (script === undefined) return sendJson(response, 404, {})
    const hours = hoursNow()
    if (pathname === '/.well-known/x402') {
      const document = script.wellKnown?.(hours)
      return sendJson(response, document === undefined ? 404 : 200, document ?? {})
    }
    const method = request.method ?? ''
    methods.set(name, (methods.get(name) ?? new Set()).add(method))
    const asked: Asked = {
      ...{ method, path: pathname, query: search, headers: request.headers, hours },
      body: await text(request),
    }
    const reply = script.reply(asked)
    if ('status' in reply) return response.writeHead(reply.status, reply.headers).end(reply.body)
    const [offer] = reply
    const paid = request.headers['payment-signature']
    if (typeof paid === 'string' && offer !== undefined) {
      payments.push({ host: name, ...asked })
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
    const hours = hoursNow()
    const items = Object.entries(scripts).flatMap(([name, { listed }]) =>
      (listed?.(hours) ?? LISTED).map(({ path, accepts, input = { type: 'http', method: 'GET' } }) => ({
        ...{ resource: url(name, path), type: 'http', x402Version: 2 },
        ...(accepts !== undefined && { accepts }),
        lastUpdated: new Date(Date.now() + 3_600_000 * hours).toISOString(),
        extensions: { bazaar: { info: { input, output: { type: 'json' } } } },
      })),
    )
    return { x402Version: 2, items, pagination: { limit: items.length, offset: 0, total: items.length } }
  }
  const server = await serve(answer)
  return { port: server.port, payments, methods, url, stop: server.stop }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
