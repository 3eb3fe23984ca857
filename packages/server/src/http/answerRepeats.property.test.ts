import { once } from 'node:events'
import type { Server } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { open, request, start, withoutDate } from './testing/repeats.ts'

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
