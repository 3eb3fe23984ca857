import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable, Writable } from 'node:stream'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A request of a client to a server without a socket. */
export type FakeRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** An answer, read whole. */
export type FakeAnswer = { readonly status: number; readonly headers: Headers; readonly text: string }

/** A call to a server. `drop` closes the client's connection. */
export type FakeCall = { readonly answer: Promise<FakeAnswer | null>; drop(): void }

/** A server whose requests come from functions of this process in place of a socket. */
export type FakeServer = EventEmitter & { call(request: FakeRequest): FakeCall }

const PORT = 4402

/** Creates a server in place of `http.createServer`, of which the proxy uses these parts. */
export function createFakeServer(_: unknown, handle: Handler): FakeServer {
  const server = Object.assign(new EventEmitter(), {
    listen(_where: unknown, done: () => void) {
      done()
      return server
    },
    address: () => ({ port: PORT }),
    close: (done: () => void) => done(),
    closeAllConnections() {},
    call: (request: FakeRequest) => callServer(handle, request),
  })
  lastCreated = server
  return server
}

let lastCreated: FakeServer | undefined

/** Returns the server that was created last. */
export function takeServer(): FakeServer {
  if (lastCreated === undefined) throw new Error('No server was created.')
  return lastCreated
}

function callServer(handle: Handler, { method, url, headers, body }: FakeRequest): FakeCall {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const sent = { host: `127.0.0.1:${PORT}`, ...Object.fromEntries(lower) }
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const all: Record<string, string> = { ...sent, ...length }
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy() {} })
  const request = Object.assign(
    Readable.from(body === undefined ? [] : [Buffer.from(body)], { objectMode: false }),
    {
      method,
      url,
      headers: all,
      headersDistinct: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
      socket,
    },
  )
  const chunks: Buffer[] = []
  const answered = new Headers()
  const response = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk)
        done()
      },
    }),
    {
      statusCode: 200,
      statusMessage: '',
      appendHeader: (name: string, value: string) => answered.append(name, value),
    },
  )
  response.on('error', () => {})
  const answer = new Promise<FakeAnswer | null>((resolve) => {
    response.once('close', () => {
      const text = Buffer.concat(chunks).toString()
      resolve(response.writableFinished ? { status: response.statusCode, headers: answered, text } : null)
    })
  })
  handle(request as unknown as IncomingMessage, response as unknown as ServerResponse)
  return { answer, drop: () => void response.destroy() }
}
