import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SentAnswer } from './free/answerCache.ts'
import { MIN_COMPRESSED_BYTES } from './free/representation.ts'

/** What answers requests that equal one before but for their target. */
export type Repeats = {
  /** Who sent a request, an IPv4 address or an IPv6 /64; undefined where the like of it cannot be answered at once. */
  clientOf(request: IncomingMessage): string | undefined
  /** The answer to a target where it lies ready and is short; the client's call is counted. */
  recall(target: string, client: string): SentAnswer | undefined
}

const HEAD_END = '\r\n\r\n'
/** Node bounds a head in the same way; a connection that has more pending is left to it. */
const MAX_PENDING = 16_384
/** Nothing is learned from more than this: each connection keeps what it has learned for as long as it is open. */
const MAX_KNOWN = 2048
/** A connection whose requests all differ is left to Node after so many: comparing them is then for nothing. */
const MAX_MISSES = 8
/** Holds every answer that lies ready uncompressed, with its headers. */
const OUT_BYTES = 4 * MIN_COMPRESSED_BYTES

/**
 * Answers requests on kept connections that equal, byte for byte but for their target, one that Node has read on the
 * same connection, and whose answer lies ready: an agent's client sends the same headers each time, and to make
 * objects of them is more than half of what an answer from memory costs. All else goes to Node as it came, and so does
 * what comes while Node is within a request or an answer. Nothing is parsed here, so that nothing can be read otherwise
 * than Node reads it.
 */
export function answerRepeats(server: Server, repeats: Repeats): void {
  const connections = new WeakMap<Socket, Connection>()
  const send = createSend(server)
  // How a server that stops ends its connections, and how a client that is slow to read is waited for, is up to Node.
  const isFree = (socket: Socket) => server.listening && socket.writable && socket.writableLength === 0
  server.on('connection', (socket: Socket) => {
    const connection = watch(socket, repeats, { isFree, send })
    if (connection !== undefined) connections.set(socket, connection)
  })
  server.on('request', (request, response) => connections.get(request.socket)?.(request, response))
}

/** Told of each request that Node has read on it. */
type Connection = (request: IncomingMessage, response: ServerResponse) => void

type Line = {
  isFree(socket: Socket): boolean
  send(socket: Socket, answer: SentAnswer): void
}

function createSend(server: Server): Line['send'] {
  let out = Buffer.allocUnsafeSlow(OUT_BYTES)
  let second = 0
  let endOfHead = ''
  return (socket, sent) => {
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) {
      second = now
      endOfHead = `Date: ${new Date().toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(server.keepAliveTimeout / 1000)}${HEAD_END}`
    }
    const { headers, body, end } = sent.outgoing
    sent.head ??= headText(headers)
    let length = out.write(sent.head, 'latin1')
    length += out.write(endOfHead, length, 'latin1')
    length += out.write(body, length, 'latin1')
    if (end !== '') length += out.write(end, length, 'latin1')
    socket.write(out.subarray(0, length))
    // What the system did not take at once is still read from there.
    if (socket.writableLength > 0) out = Buffer.allocUnsafeSlow(OUT_BYTES)
  }
}

function headText(headers: readonly string[]): string {
  let text = 'HTTP/1.1 200 OK\r\n'
  for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`
  return text
}

function watch(
  socket: Socket,
  { clientOf, recall }: Repeats,
  { isFree, send }: Line,
): Connection | undefined {
  const [toNode, ...more] = socket.listeners('data') as ((chunk: Buffer) => void)[]
  if (toNode === undefined || more.length > 0) return undefined
  /** All of a request but its method and target, and who sends it. */
  let known: { readonly rest: string; readonly client: string } | undefined
  /** What Node was handed since it was last between two requests, how many requests it read there, how many are open. */
  let pending = ''
  let requests = 0
  let open = 0
  let misses = 0
  let isLeft = false

  const leave = () => {
    if (isLeft) return
    isLeft = true
    // The server still refers to this connection, for as long as it is open.
    pending = ''
    known = undefined
    socket.on('data', toNode)
    socket.off('data', onData)
  }

  /** The answer where it is a repeat. */
  const recognise = (text: string): SentAnswer | undefined => {
    if (known === undefined || !text.startsWith('GET ') || !text.endsWith(known.rest)) {
      misses++
      return undefined
    }
    misses = 0
    return recall(text.slice(4, text.length - known.rest.length), known.client)
  }

  const onData = (chunk: Buffer) => {
    const text = chunk.toString('latin1')
    const answer = pending === '' && isFree(socket) ? recognise(text) : undefined
    if (answer !== undefined) return send(socket, answer)
    if (misses > MAX_MISSES || pending.length + text.length > MAX_PENDING) leave()
    else pending += text
    toNode(chunk)
  }

  const settle = (last: IncomingMessage) => {
    if (isLeft || open > 0 || !pending.endsWith(HEAD_END)) return
    const heads = pending.split(HEAD_END)
    // One head a request, or Node counts otherwise than we do.
    if (heads.length - 1 !== requests) return leave()
    const head = heads.at(-2) ?? ''
    const rest = /^GET [^ ]+( HTTP\/1\.1\r\n.*)$/s.exec(head)?.[1]
    // And the lines of that head, lest it begins with what Node never read.
    if (rest !== undefined && head.split('\r\n').length !== last.rawHeaders.length / 2 + 1) return leave()
    // The rest is a part of all that is pending, and keeps the whole of it in memory.
    const client = rest === undefined || pending.length > MAX_KNOWN ? undefined : clientOf(last)
    known = rest === undefined || client === undefined ? undefined : { rest: rest + HEAD_END, client }
    pending = ''
    requests = 0
  }

  socket.on('data', onData)
  socket.off('data', toNode)
  return (request, response) => {
    if (isLeft) return
    requests++
    open++
    const { headers } = request
    // What follows may be a body.
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return leave()
    // Node answers it, and drops what came in one chunk with it.
    if (headers.upgrade !== undefined) return leave()
    response.once('close', () => {
      open--
      settle(request)
    })
  }
}
