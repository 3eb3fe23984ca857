import { json } from 'node:stream/consumers'
import { canonicalizeUrl, isTemplate, matchesTemplate } from '@touchstone402/shared'
import { serve } from '../../support/serve.ts'

/** A request as a seller sees it. */
export type Request = { readonly method: string; readonly url: URL; readonly body: unknown }

/** Response of a seller; a body that is no text is sent as JSON. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Answers the requests of one endpoint. */
export type Seller = (request: Request) => Answer

const NOT_FOUND: Answer = { status: 404, headers: {}, body: {} }

/** Hosts of many names on one port of loopback. */
export type Sellers = {
  readonly port: number
  /** Returns a URL at the address where it is served: its host, path and query with our scheme and port. */
  place(url: string): string
  /** Serves a placed URL. Of several sellers of an endpoint, the first that asks for payment answers. */
  serve(url: string, seller: Seller): void
  stop(): Promise<void>
}

/** Opens a server that serves every host by its `Host` header, and answers 404 for unknown paths. */
export async function openSellers(): Promise<Sellers> {
  const routes = new Map<string, Seller[]>()
  const templates = new Set<string>()
  const { port, stop } = await serve(async (request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const { key } = canonicalizeUrl(url.href)
    const route = routes.get(key) ?? routes.get([...templates].find((one) => matchesTemplate(one, key)) ?? '')
    const body = await json(request).catch(() => undefined)
    const answers = (route ?? []).map((seller) => seller({ method: request.method ?? '', url, body }))
    const answer = answers.find(({ status }) => status === 402) ?? answers[0]
    const { status, headers, body: sent } = answer ?? NOT_FOUND
    const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  })
  return {
    port,
    stop,
    place(listed) {
      if (!/^https?:/i.test(listed) || !URL.canParse(listed)) return listed
      const url = new URL(listed)
      url.protocol = 'http:'
      url.port = String(port)
      // Keeps the braces of templates.
      return url.href.replaceAll('%7B', '{').replaceAll('%7D', '}')
    },
    serve(url, seller) {
      if (!/^https?:/i.test(url) || !URL.canParse(url)) return
      const { key } = canonicalizeUrl(url)
      routes.set(key, [...(routes.get(key) ?? []), seller])
      if (isTemplate(key)) templates.add(key)
    },
  }
}
