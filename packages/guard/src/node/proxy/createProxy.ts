import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { readBody } from '../../readBody.ts'
import { describeError } from '../tools/callEndpoint.ts'
import { answerOperator, isOperatorPath } from './answerOperator.ts'
import type { PendingApprovals } from './approvals.ts'
import { type ForwardDeps, forward, type Task } from './forward.ts'
import { createIdleConnections } from './idleConnections.ts'
import { readTarget, refuse, TOKEN_HEADER, toJson } from './messages.ts'
import { type Decision, PAGE_HEADERS, renderPage } from './operatorPage.ts'
import type { OperatorGate } from './operatorProofs.ts'
import type { Shares } from './shares.ts'

/** Dependencies of {@link createProxy}. */
export type ProxyDeps = ForwardDeps & {
  /** Tasks by their token. */
  tasks: ReadonlyMap<string, Task>
  gate: OperatorGate
  approvals: PendingApprovals
  /** Room for calls under way. */
  slots: Shares
  /** Most connections that no call uses. */
  maxIdle: number
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

/**
 * Creates the server of a proxy: agents call `/https://…` with the token of a task; the operator opens `/`, and sends
 * commands to `/operator`. `settled` waits for the answers under way.
 *
 * Web pages must not reach it. A request is refused with 403 if its `Host` is not an own address, if it has an `Origin`,
 * or if `Sec-Fetch-Site` shows that a page has sent it, except the operator's page.
 */
export function createProxy(deps: ProxyDeps): { server: Server; settled(): Promise<unknown> } {
  const tasks = new Map([...deps.tasks].map(([token, task]) => [hash(token), task]))
  const underWay = new Set<Promise<void>>()
  const idle = createIdleConnections<Socket>(deps.maxIdle)
  const rest = (socket: Socket, holder: string) =>
    void (socket.destroyed || idle.add(socket, holder)?.destroy())
  const admit = (task: Task, { socket }: IncomingMessage, response: ServerResponse) => {
    idle.remove(socket)
    response.once('close', () => rest(socket, task.name))
  }
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_MS },
    (request, response) => {
      const answered = answer({ ...deps, tasks, admit }, request, response)
        .catch(() => void response.destroy())
        .finally(() => underWay.delete(answered))
      underWay.add(answered)
    },
  )
  const refuseTunnel = (_: unknown, socket: Duplex) =>
    void socket
      .on('error', () => {})
      .end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n', () => socket.destroy())
  server.on('connect', refuseTunnel).on('connection', (socket) => {
    rest(socket, '')
    socket.once('close', () => idle.remove(socket))
  })
  return { server, settled: () => Promise.all(underWay) }
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

type AnswerDeps = ProxyDeps & {
  /** Notes that a call of a task uses a connection. */
  admit(task: Task, request: IncomingMessage, response: ServerResponse): void
}

async function answer(deps: AnswerDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { tasks, slots, admit } = deps
  const { url = '', headersDistinct } = request
  const isPage = PAGE_PATHS.test(url)
  const fault = findForeign(request, deps.hosts(), isPage)
  if (fault !== null) return send(response, refuse(403, 'FORBIDDEN', fault))
  if (asksForUpgrade(request)) return send(response, refuseUpgrade())
  if (isPage) return send(response, await answerPage(deps, request))
  if (isOperatorPath(url)) return send(response, await answerOperator({ ...deps, hasPage: true }, request))
  const given = headersDistinct[TOKEN_HEADER]
  const task = given?.length === 1 ? tasks.get(hash(given[0] ?? '')) : undefined
  if (task === undefined) return send(response, refuse(401, 'TOKEN_INVALID', NO_TOKEN))
  if (!slots.take(task.name, 1)) return send(response, refuse(503, 'BUSY', BUSY))
  admit(task, request, response)
  try {
    return await send(response, await answerTask(deps, task, request, response))
  } finally {
    slots.give(task.name, 1)
  }
}

function answerTask(
  deps: ProxyDeps,
  task: Task,
  request: IncomingMessage,
  response: ServerResponse,
): Response | Promise<Response> {
  const { url = '' } = request
  if (url === '/sign' || url === '/account') return answerSigner(deps, task, request)
  const target = readTarget(url)
  // `findForeign` has compared Host with the addresses of this proxy.
  if (target === null) return refuse(404, 'NO_TARGET', explainTarget(request.headers.host))
  const gone = new AbortController()
  response.once('close', () => response.writableFinished || gone.abort())
  return forward(deps, task, request, target, gone.signal)
}

/** Whether a request asks for another protocol than HTTP. `h2c` is ignored: the answer comes by HTTP/1.1. Source: RFC 9110, 7.8. */
function asksForUpgrade({ headers: { connection = '', upgrade } }: IncomingMessage): boolean {
  return upgrade !== undefined && /\bupgrade\b/i.test(connection) && !/^\s*h2c\s*$/i.test(upgrade)
}

function refuseUpgrade(): Response {
  const refusal = refuse(
    405,
    'UPGRADE_REFUSED',
    'The proxy speaks HTTP/1.1 only, and passes no WebSocket on.',
  )
  refusal.headers.set('connection', 'close')
  return refusal
}

const BUSY = 'Too many calls are under way; call again in a moment.'

const NO_TOKEN = 'The header Touchstone-Token is missing, or is the token of no task.'
const explainTarget = (host = '') =>
  `Write the whole URL of the call, its scheme and port included, behind the URL of the proxy: http://${host}/https://api.example.com:8443/weather`
const PAGE_PATHS = /^\/($|stop$|resume$|approvals\/[0-9a-f]+\/(approve|refuse)$)/

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
  // Old browsers send neither with a form of another page.
  const isNamed = origin !== undefined || site !== undefined
  if (isPage && request.method === 'POST' && !isNamed) return 'Origin and Sec-Fetch-Site are missing.'
  return null
}

/** Answers the operator's browser: the page and its forms. */
async function answerPage(
  { approvals, gate, decisions, tasks }: ProxyDeps,
  { url = '', method, headers }: IncomingMessage,
): Promise<Response> {
  const login = Buffer.from(headers.authorization?.replace(/^Basic /i, '') ?? '', 'base64').toString()
  if (!gate.isPagePassword(login.slice(login.indexOf(':') + 1))) {
    const refusal = refuse(401, 'OPERATOR_ONLY', 'The command "touchstone proxy page" prints the password.')
    refusal.headers.set('www-authenticate', 'Basic realm="Touchstone proxy"')
    return refusal
  }
  const [, room, id, verb] = url.split('/')
  const isChange = room !== ''
  if (isChange !== (method === 'POST')) return refuse(405, 'METHOD', `Expected ${isChange ? 'POST' : 'GET'}.`)
  const guards = [...tasks.values()].map(({ guard }) => guard)
  // All tasks share the ledger, and with it the switch.
  if (room === 'stop' || room === 'resume') await guards[0]?.[room]()
  else if (id !== undefined && approvals.answer(id, verb === 'approve') === undefined)
    return refuse(404, 'NOT_PENDING', `Nothing waits as ${id}.`)
  if (isChange) return new Response(null, { status: 303, headers: { location: '/' } })
  const budgets = await Promise.all(guards.map((guard) => guard.budget()))
  const page = renderPage({ budgets, pending: approvals.pending(), decisions })
  return new Response(page, { headers: PAGE_HEADERS })
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
