import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, test } from 'vitest'
import { cleanUpAfterEach, listen, start, target } from './testing/harness.ts'
import { makeSelfSigned } from './testing/selfSigned.ts'

cleanUpAfterEach()

type Recorded = { readonly get: string; readonly post: string; readonly plain: string }
const recorded: Readonly<Record<string, Recorded>> = JSON.parse(
  readFileSync(new URL('testing/recordedRequests.json', import.meta.url), 'utf8'),
)

/** Index of the identity that stands for each recorded client. */
const IDENTITIES: Readonly<Record<string, number>> = {
  'fetch of Node 20': 1,
  'fetch of Node 22': 1,
  'fetch of Node 24': 1,
  'ky 1.14.3': 1,
  'httpx 0.28.1': 2,
  'undici 7.30.2': 3,
  'axios 1.21.1': 4,
  'got 14.6.6': 5,
  'requests 2.34.2': 6,
}

/** All differences that are left, by client. Bodies are sent as they are declared, which this client writes with a space. */
const LEFT: Readonly<Record<string, Partial<Recorded>>> = {
  'requests 2.34.2': {
    post:
      recorded['requests 2.34.2']?.post
        .replace('{"q": "x"}', '{"q":"x"}')
        .replace('Length: 10', 'Length: 9') ?? '',
  },
}

/** Returns the bytes that an identity sends. */
async function write(client: number, scheme: 'http' | 'https', body: string | null): Promise<string> {
  const certificate = makeSelfSigned(['shop.test'])
  let bytes = ''
  const onSocket = (socket: import('node:net').Socket) => {
    socket.setEncoding('latin1').on('error', () => {})
    socket.on('data', (chunk) => {
      bytes += chunk
      const isWhole = body === null ? bytes.endsWith('\r\n\r\n') : bytes.endsWith(body)
      if (isWhole) socket.end('HTTP/1.1 402 Payment Required\r\ncontent-length: 2\r\n\r\n{}')
    })
  }
  const options = { ...certificate, ALPNProtocols: ['http/1.1'] }
  const port = await listen(scheme === 'https' ? createTlsServer(options, onSocket) : createServer(onSocket))
  const prober = start([port], { ca: [certificate.cert] })
  const url = `${scheme}://shop.test:${port}/quote?a=1`
  const method = body === null ? 'GET' : 'POST'
  expect(await prober.probe(target(url, { client, method, body }))).toMatchObject({ httpStatus: 402 })
  return bytes.replaceAll(`shop.test:${port}`, 'HOST')
}

test.each(Object.entries(recorded))(
  'default: the identity of %s sends the bytes of the client, but for what is listed',
  async (name, bytes) => {
    const client = IDENTITIES[name] ?? -1
    const wanted = { ...bytes, ...LEFT[name] }
    expect(await write(client, 'https', null)).toBe(wanted.get)
    expect(await write(client, 'https', '{"q":"x"}')).toBe(wanted.post)
    expect(await write(client, 'http', null)).toBe(wanted.plain)
  },
)

test('default: every identity but ours has a recorded client', () => {
  const { clients } = start([])
  expect([...new Set(Object.values(IDENTITIES))].sort()).toEqual(
    Array.from({ length: clients - 1 }, (_, index) => index + 1),
  )
  expect(Object.keys(IDENTITIES).sort()).toEqual(Object.keys(recorded).sort())
})
