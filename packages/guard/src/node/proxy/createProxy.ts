import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Duplex, Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { readBody } from '../../readBody.ts'
import { describeError } from '../tools/callEndpoint.ts'
import { type ForwardDeps, forward, type Task, toJson } from './forward.ts'
import { OPERATOR_HEADER, readTarget, TOKEN_HEADER } from './messages.ts'
import { type Decision, PAGE_HEADERS, renderPage } from './operatorPage.ts'

/** Dependencies of {@link createProxy}. */
export type ProxyDeps = ForwardDeps & {
  /** Tasks by their token. */
  tasks: ReadonlyMap<string, Task>
  /** Password of the operator's page. */
  operator: string
  /** Whether agents sign by `POST /sign`, instead of having their calls paid. */
  signs: boolean
  /** Own addresses, such as `127.0.0.1:4402`, as far as `Host` names them. */
  hosts: () => readonly string[]
  /** The last decisions, newest first. */
  decisions: readonly Decision[]
}

const MAX_SIGN_BYTES = 64 * 1024
const SIGN_BODY_MS = 10_000
const MAX_HEADER_BYTES = 32 * 1024
/** Timeout of a request and its body in ms. Node limits the head to a minute. */
const REQUEST_MS = 900_000
/** Calls of one task under way; more are answered with 503. */
const MAX_CALLS = 100

/**
 * Creates the server of a proxy: agents call `/https://…` with the token of a task; the operator opens `/`. `settled`
 * waits for the answers under way.
 *
 * Web pages must not reach it. A request is refused with 403 if its `Host` is not an own address, if it has an `Origin`,
 * or if `Sec-Fetch-Site` shows that a page has sent it, except the operator's page.
 */
export function createProxy(deps: ProxyDeps): { server: Server; settled(): Promise<unknown> } {
  const tasks = new Map([...deps.tasks].map(([token, task]) => [hash(token), task]))
  const underWay = new Set<Promise<void>>()
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_MS },
    (request, response) => {
      const answered = answer(deps, tasks, request, response)
        .catch(() => void response.destroy())
        .finally(() => underWay.delete(answered))
      underWay.add(answered)
    },
  )
  const refuseTunnel = (_: unknown, socket: Duplex) =>
    void socket
      .on('error', () => {})
      .end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n', () => socket.destroy())
  server.on('connect', refuseTunnel).on('upgrade', refuseTunnel)
  return { server, settled: () => Promise.all(underWay) }
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

async function answer(
  deps: ProxyDeps,
  tasks: ReadonlyMap<string, Task>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '', headersDistinct } = request
  const isPage = PAGE_PATHS.test(url)
  const fault = findForeign(request, deps.hosts(), isPage)
  if (fault !== null) return send(response, refuse(403, 'FORBIDDEN', fault))
  if (isPage) return send(response, await answerOperator(deps, tasks, request))
  const given = headersDistinct[TOKEN_HEADER]
  const task = given?.length === 1 ? tasks.get(hash(given[0] ?? '')) : undefined
  if (task === undefined) return send(response, refuse(401, 'TOKEN_INVALID', NO_TOKEN))
  if (url === '/sign' || url === '/account') return send(response, await answerSigner(deps, task, request))
  const target = readTarget(url)
  if (target === null) return send(response, refuse(404, 'NO_TARGET', NO_TARGET))
  if (task.underWay >= MAX_CALLS)
    return send(response, refuse(503, 'BUSY', `The task has ${MAX_CALLS} calls under way.`))
  const gone = new AbortController()
  response.once('close', () => response.writableFinished || gone.abort())
  task.underWay++
  try {
    return await send(response, await forward(deps, task, request, target, gone.signal))
  } finally {
    task.underWay--
  }
}

const NO_TOKEN = 'The header Touchstone-Token is missing, or is the token of no task.'
const NO_TARGET =
  'Prefix the call URL with the proxy URL: http://127.0.0.1:4402/https://api.example.com/weather'
const refuse = (status: number, code: string, reason: string) => toJson(status, { code, reason })
const PAGE_PATHS = /^\/($|stop$|resume$|approvals(\/[0-9a-f]+\/(approve|refuse))?$)/

/** Returns why a request cannot be from an agent or the operator's own page; null if it may be. */
function findForeign(request: IncomingMessage, hosts: readonly string[], isPage: boolean): string | null {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers
  const isOwn = request.headersDistinct.host?.length === 1 && hosts.includes(host.toLowerCase())
  if (!isOwn) return 'Host is not the address of this proxy.'
  if (origin !== undefined && !(isPage && origin === `http://${host}`))
    return 'Web pages cannot use this proxy (Origin).'
  // The operator's page is the only one that this origin can show, as targets need the header of a token.
  const isOwnSite = site === 'none' || (isPage && site === 'same-origin')
  if (site !== undefined && !isOwnSite) return 'Web pages cannot use this proxy (Sec-Fetch-Site).'
  // Old browsers send neither with a form of another page, but never a header of its choice.
  const isNamed = origin !== undefined || site !== undefined || request.headers[OPERATOR_HEADER] !== undefined
  if (isPage && request.method === 'POST' && !isNamed) return `The header ${OPERATOR_HEADER} is missing.`
  return null
}

/** Answers the operator: the page, its forms, and the same as JSON for the command line. */
async function answerOperator(
  deps: ProxyDeps,
  tasks: ReadonlyMap<string, Task>,
  { url = '', method, headers }: IncomingMessage,
): Promise<Response> {
  const { approvals, operator, decisions } = deps
  const login = Buffer.from(headers.authorization?.replace(/^Basic /i, '') ?? '', 'base64').toString()
  const password = login.slice(login.indexOf(':') + 1)
  if (!timingSafeEqual(Buffer.from(hash(password)), Buffer.from(hash(operator)))) {
    const refusal = refuse(401, 'OPERATOR_ONLY', 'The password is that of the operator.')
    refusal.headers.set('www-authenticate', 'Basic realm="Touchstone proxy"')
    return refusal
  }
  const [, room, id, verb] = url.split('/')
  const isChange = room === 'stop' || room === 'resume' || id !== undefined
  if (isChange !== (method === 'POST')) return refuse(405, 'METHOD', `Expected ${isChange ? 'POST' : 'GET'}.`)
  const guards = [...tasks.values()].map(({ guard }) => guard)
  // All tasks share the ledger, and with it the switch.
  if (room === 'stop' || room === 'resume') await guards[0]?.[room]()
  else if (id !== undefined && approvals.answer(id, verb === 'approve') === undefined)
    return refuse(404, 'NOT_PENDING', `Nothing waits as ${id}.`)
  if (isChange) return new Response(null, { status: 303, headers: { location: '/' } })
  const pending = approvals.pending()
  if (room === 'approvals') return toJson(200, { pending })
  const budgets = await Promise.all(guards.map((guard) => guard.budget()))
  return new Response(renderPage({ budgets, pending, decisions }), { headers: PAGE_HEADERS })
}

/** Answers payment libraries of other languages: the address of the wallet, and signatures for open approvals. */
async function answerSigner(
  { signs }: ProxyDeps,
  { signer }: Task,
  request: IncomingMessage,
): Promise<Response> {
  if (!signs) return refuse(404, 'NOT_SIGNING', 'Start the proxy with --sign.')
  if (request.url === '/account') return toJson(200, { address: signer.address })
  if (request.method !== 'POST') return refuse(405, 'METHOD', 'Expected POST.')
  const data = await readTypedData(request)
  if (data === undefined) return refuse(400, 'BODY_INVALID', BODY_INVALID)
  return signer.signTypedData(data).then(
    (signature) => toJson(200, { signature }),
    (error: unknown) => toJson(403, describeError(error)),
  )
}

const BODY_INVALID = 'Expected typed data as JSON: domain, types, primaryType, message.'

async function readTypedData(request: IncomingMessage): Promise<unknown> {
  try {
    const body = Readable.toWeb(request) as ReadableStream
    return JSON.parse(await readBody(new Response(body), MAX_SIGN_BYTES, SIGN_BODY_MS))
  } catch {
    return undefined
  }
}

async function send(response: ServerResponse, given: Response): Promise<void> {
  response.statusCode = given.status
  if (given.statusText) response.statusMessage = given.statusText
  for (const [name, value] of given.headers) response.appendHeader(name, value)
  if (given.body === null) return finished(response.end())
  // Even if the body breaks off at once, the agent sees the payment. Not `flushHeaders`, which sends other bytes: it
  // encodes the head as UTF-8.
  response.write(new Uint8Array())
  return pipeline(Readable.fromWeb(given.body as WebStream), response)
}
