import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Repeats } from '../answerRepeats.ts'
import { createHttpApp } from '../createHttpApp.ts'
import { createHttpServer } from '../createHttpServer.ts'
import type { FreeAnswer, HttpDeps } from '../deps.ts'
import type { HttpApp } from '../messages.ts'
import { createSmallAnswers } from './answers.ts'

/** A service whose verdicts lie ready, and how many requests Node has read. */
export async function start(more: Partial<HttpDeps> = {}, isPlain = false) {
  const small = createSmallAnswers()
  const app = createHttpApp({
    answers: {
      ...small,
      verify: async (query): Promise<FreeAnswer<'verify'>> => ({
        ...(await small.verify(query)),
        isCurrent: () => true,
      }),
    },
    paywall: { sell: async () => ({ kind: 'abandoned' }) },
    clock: { now: () => Date.parse('2026-01-31T12:00:10Z') },
    publicUrl: 'https://trust.example',
    jwks: () => ({ keys: [] }),
    ...more,
  })
  const server = await serve(isPlain ? withoutRepeats(app) : app)
  let read = 0
  server.on('request', () => read++)
  return { server, read: () => read }
}

export async function serve(app: HttpApp): Promise<Server> {
  const server = createHttpServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return server
}

export function withoutRepeats(app: HttpApp): HttpApp {
  const listener: RequestListener = (request, response) => app(request, response)
  return app.messages === undefined ? listener : Object.assign(listener, { messages: app.messages })
}

export const portOf = (server: Server) => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export async function open(server: Server) {
  const socket = connect(portOf(server), '127.0.0.1').setNoDelay()
  await once(socket, 'connect')
  socket.on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
  })
  return socket
}

export const request = (host: string, headers = 'Accept: */*\r\n') =>
  `GET /verify?endpoint=http%3A%2F%2F${host}.example%2F HTTP/1.1\r\nHost: here\r\n${headers}\r\n`

/** Sends it, and resolves to what comes back. */
export async function ask(socket: Socket, text: string): Promise<string> {
  socket.write(text, 'latin1')
  let answer = ''
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    answer += chunk.toString('latin1')
    const end = answer.indexOf('\r\n\r\n') + 4
    const length = /^content-length: (\d+)/im.exec(answer)?.[1]
    if (end > 4 && answer.length >= end + Number(length ?? 0)) return answer
  }
}

export const withoutDate = (answer: string) => answer.replaceAll(/^Date: .*\r\n/gm, '')

/** A server whose `/a` lies ready; all else, and what Node has to read, it answers with the target, `/slow` after a while. */
export async function startBare() {
  const outgoing = { headers: ['Content-Length', '5'], body: 'ready', end: '', tag: '' }
  const sent = { outgoing, head: undefined, coding: undefined, control: '', until: 0 }
  const listener: RequestListener = ({ url }, response) => {
    setTimeout(() => response.end(url), url === '/slow' ? 50 : 0)
  }
  const repeats: Repeats = {
    clientOf: () => 'somebody',
    recall: (target) => (target === '/a' ? sent : undefined),
  }
  const server = await serve(Object.assign(listener, { repeats }))
  const socket = await open(server)
  return { socket, get: async (text: string) => (await ask(socket, text)).split('\r\n\r\n')[1] }
}

export const get = (target: string, more = 'X: 1') =>
  `GET ${target} HTTP/1.1\r\nHost: here\r\n${more}\r\n\r\n`
