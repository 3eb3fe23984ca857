import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { Repeats } from './answerRepeats.ts'
import { createHttpApp } from './createHttpApp.ts'
import { createHttpServer } from './createHttpServer.ts'
import type { FreeAnswer, HttpDeps } from './deps.ts'
import type { HttpApp } from './messages.ts'
import { createSmallAnswers } from './testing/answers.ts'

/** A service whose verdicts lie ready, and how many requests Node has read. */
async function start(more: Partial<HttpDeps> = {}, isPlain = false) {
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

async function serve(app: HttpApp): Promise<Server> {
  const server = createHttpServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return server
}

function withoutRepeats(app: HttpApp): HttpApp {
  const listener: RequestListener = (request, response) => app(request, response)
  return app.messages === undefined ? listener : Object.assign(listener, { messages: app.messages })
}

const portOf = (server: Server) => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function open(server: Server) {
  const socket = connect(portOf(server), '127.0.0.1').setNoDelay()
  await once(socket, 'connect')
  socket.on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
  })
  return socket
}

const request = (host: string, headers = 'Accept: */*\r\n') =>
  `GET /verify?endpoint=http%3A%2F%2F${host}.example%2F HTTP/1.1\r\nHost: here\r\n${headers}\r\n`

/** Sends it, and resolves to what comes back. */
async function ask(socket: Socket, text: string): Promise<string> {
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

const withoutDate = (answer: string) => answer.replaceAll(/^Date: .*\r\n/gm, '')

test('default: what Node has read once it need not read again, and the answer is the same to the byte', async () => {
  const { server, read } = await start()
  const socket = await open(server)
  const first = await ask(socket, request('a'))
  expect(first).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(read()).toBe(1)
  for (let call = 0; call < 3; call++) {
    expect(withoutDate(await ask(socket, request('a')))).toBe(withoutDate(first))
  }
  expect(read()).toBe(1)
  // What does not lie ready is made by way of Node, once.
  for (let call = 0; call < 3; call++) expect(await ask(socket, request('b'))).toContain('http://b.example/')
  expect(read()).toBe(2)
})

test('behavior: what differs in more than its target goes to Node, and is answered as it asks', async () => {
  const { server, read } = await start()
  const socket = await open(server)
  const tag = /^ETag: (.*)\r$/m.exec(await ask(socket, request('a')))?.[1]
  const asked = [`If-None-Match: ${tag}\r\n`, 'Accept: text/html\r\n', `If-None-Match: ${tag}\r\n`]
  const statuses: string[] = []
  for (const headers of asked) statuses.push((await ask(socket, request('a', headers))).slice(9, 12))
  expect(statuses).toEqual(['304', '200', '304'])
  expect(read()).toBe(4)
})

test('behavior: repeats count as calls, and are refused where there are too many', async () => {
  const { server } = await start({ rateLimit: { points: 3, windowSeconds: 60 } })
  const socket = await open(server)
  const statuses: string[] = []
  for (let call = 0; call < 5; call++) statuses.push((await ask(socket, request('a'))).slice(9, 12))
  expect(statuses).toEqual(['200', '200', '200', '429', '429'])
})

test('behavior: a client that is slow to read gets every answer whole', async () => {
  const { server } = await start({ rateLimit: { points: 1_000_000, windowSeconds: 60 } })
  const socket = await open(server)
  const first = withoutDate(await ask(socket, request('a')))
  socket.pause()
  const calls = 4000
  for (let call = 0; call < calls; call++) {
    socket.write(request('a'))
    await nextTurn()
  }
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.resume()
  await expect.poll(() => received.split('HTTP/1.1 200 OK').length - 1, { timeout: 20_000 }).toBe(calls)
  await expect.poll(() => withoutDate(received).length, { timeout: 5000 }).toBe(calls * first.length)
  expect(withoutDate(received)).toBe(first.repeat(calls))
})

/** A server whose `/a` lies ready; all else, and what Node has to read, it answers with the target, `/slow` after a while. */
async function startBare() {
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

const get = (target: string, more = 'X: 1') => `GET ${target} HTTP/1.1\r\nHost: here\r\n${more}\r\n\r\n`

test('behavior: nothing overtakes an answer that is on its way', async () => {
  const { socket, get: read } = await startBare()
  expect([await read(get('/a')), await read(get('/a'))]).toEqual(['/a', 'ready'])
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.write(get('/slow'))
  await new Promise((resolve) => setTimeout(resolve, 10))
  socket.write(get('/a'))
  await expect.poll(() => received.split('HTTP/1.1 200').length).toBe(3)
  expect(received).toMatch(/\/slow(.|\s)*\/a$/)
})

test('error: a body that looks like a repeat is a body', async () => {
  const { socket, get: read } = await startBare()
  // It differs from the head before it by its target alone.
  const length = get('/a', 'Content-Length: 00').length
  const body = get('/a', `Content-Length: ${length}`)
  expect(body.length).toBe(length)
  expect(await read(get('/x', `Content-Length: ${length}`))).toBe('/x')
  socket.write(body)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await read(get('/b'))).toBe('/b')
})

test('error: a header of the same length that says something else is no repeat', async () => {
  const { get: read } = await startBare()
  expect(await read(get('/a'))).toBe('/a')
  expect(await read(get('/a', 'X: 2'))).toBe('/a')
  expect(await read(get('/a', 'X: 2'))).toBe('ready')
})

test('error: what Node drops with an upgrade that it declines is no beginning of what follows', async () => {
  const { server } = await start()
  const socket = await open(server)
  const head = request('a', 'Content-Length: 40\r\nX: ').slice(0, -4)
  await ask(socket, request('a', 'Connection: Upgrade\r\nUpgrade: x\r\n') + head)
  await ask(socket, request('a', ''))
  // It equals the two taken together, and is followed by a body: Node ends the connection after its answer.
  const answer = await ask(socket, head + request('a', ''))
  expect(answer).toMatch(/^Connection: close\r$/m)
})

test('behavior: a connection that is left to Node costs no more memory than one of Node', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heapBytes = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  // Ends of lines between requests are skipped by Node.
  const flood = Buffer.from('\r\n'.repeat(32_000))
  const perConnection = async (isPlain: boolean) => {
    const { server } = await start({}, isPlain)
    const before = heapBytes()
    const calls = 60
    for (let call = 0; call < calls; call++) {
      const socket = await open(server)
      await ask(socket, request('a'))
      socket.write(flood)
      await ask(socket, request('a'))
    }
    return (heapBytes() - before) / calls
  }
  await perConnection(true)
  const plain = await perConnection(true)
  expect(await perConnection(false)).toBeLessThan(plain + 8000)
})

test('behavior: nothing is learned from a head that would take much memory', async () => {
  const { server, read } = await start()
  const socket = await open(server)
  for (let call = 0; call < 3; call++) await ask(socket, request('a', `X: ${'x'.repeat(4000)}\r\n`))
  expect(read()).toBe(3)
})

test('property: however requests follow one another and arrive, the answers are those of Node alone', async () => {
  const [watched, plain] = [await start(), await start({}, true)]
  const last = 'GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'
  const talk = async (server: Server, pieces: readonly string[]) => {
    const socket = await open(server)
    let received = ''
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
    })
    const closed = once(socket, 'close')
    for (const piece of pieces) {
      socket.write(piece, 'latin1')
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await closed
    return withoutDate(received)
  }
  const upgrade = request('a', 'Connection: Upgrade\r\nUpgrade: x\r\n')
  const anyRequest = fc.constantFrom(
    request('a'),
    request('a'),
    request('b'),
    request('a', 'Accept: text/html\r\n'),
    request('a').replace('GET', 'HEAD'),
    request('a').replace('verify', 'nowhere'),
    request('a').replace('HTTP/1.1\r\n', 'HTTP/1.1\r\nContent-Length: 0\r\n'),
    `\r\n${request('a')}`,
  )
  // Of these Node drops what comes in one piece with them, be it the last request: they come only as pieces of their own.
  const anyPiece = fc.oneof(
    { weight: 8, arbitrary: anyRequest },
    {
      weight: 1,
      arbitrary: fc.constantFrom(upgrade, upgrade + request('a', 'Content-Length: 40\r\nX: ').slice(0, -4)),
    },
  )
  // Where a body ends the talk it holds what would pass for a request.
  const body = request('a')
  const ending = fc.constantFrom(
    last,
    `POST /verify HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })
  const anyTalk = fc.oneof(
    fc.tuple(fc.array(anyPiece, { maxLength: 8 }), ending).map(([pieces, end]) => [...pieces, end]),
    fc
      .tuple(fc.array(anyRequest, { maxLength: 8 }), ending, cuts)
      .map(([requests, end, places]) => cutAt([...requests, end].join(''), places)),
  )
  await fc.assert(
    fc.asyncProperty(anyTalk, async (pieces) => {
      expect(await talk(watched.server, pieces)).toBe(await talk(plain.server, pieces))
    }),
    { numRuns: 60 },
  )
  expect(watched.read()).toBeLessThan(plain.read())
})

function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => Math.floor(cut * text.length)).sort((a, b) => a - b), text.length]
  return places.slice(1).map((place, index) => text.slice(places[index], place))
}
