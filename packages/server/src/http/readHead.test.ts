import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RequestHead, readHead } from './readHead.ts'
import { listen } from './testing/listen.ts'

test('default: it reads what Node makes of the same headers', async () => {
  const seen: { read: RequestHead; headers: NodeJS.Dict<string | string[]> }[] = []
  const origin = await listen((request, response) => {
    // Before Node is asked, so that each is made of the raw ones.
    const read = readHead(request)
    seen.push({ read, headers: request.headers })
    response.end()
  })
  const header = fc.tuple(
    fc.constantFrom(
      'Accept-Encoding',
      'accept-encoding',
      'IF-NONE-MATCH',
      'If-None-Match',
      'X-Forwarded-For',
      'x-forwarded-for',
      'Content-Length',
      'X-Forwarded-Foo',
      'Accept',
      'Transfer-Encodin',
    ),
    fc.constantFrom('0', 'br', 'gzip, br', '"a"', '1.2.3.4', ''),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(header, { maxLength: 6 }), async (headers) => {
      const lines = headers.filter(([name, value], index) => {
        if (name !== 'Content-Length') return true
        // Node refuses what is no number, and a second one.
        return value === '0' && headers.findIndex(([other]) => other === name) === index
      })
      seen.length = 0
      await send(origin, lines.map(([name, value]) => `${name}: ${value}\r\n`).join(''))
      const [{ read, headers: joined }] = seen as [(typeof seen)[number]]
      expect(read).toEqual({
        hasBody: joined['content-length'] !== undefined,
        acceptEncoding: joined['accept-encoding'],
        ifNoneMatch: joined['if-none-match'],
        forwardedFor: joined['x-forwarded-for'],
      })
    }),
  )
})

test('behavior: a chunked body is a body', () => {
  expect(readHead({ rawHeaders: ['transfer-Encoding', 'chunked'], headers: {} }).hasBody).toBe(true)
})

/** Sends a call with these header lines, and waits for its end. */
function send(origin: string, lines: string): Promise<void> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`)
    })
    socket.resume()
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}
