import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../testing/listen.ts'
import { createPublicFetch, type PublicFetchOptions } from '../publicFetch.ts'
import { readContent } from '../tools/answerBody.ts'

async function setUp(answer: (response: ServerResponse) => void, options: PublicFetchOptions = {}) {
  const server = await listen((_, response) => answer(response))
  onTestFinished(() => server.stop())
  const fetch = createPublicFetch({ allowPrivateHosts: true, env: {}, ...options })
  return { url: server.url, fetch }
}
const raw = (text: string) => (response: ServerResponse) =>
  void response.socket?.end(Buffer.from(text, 'latin1'))
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('attacks by a seller', () => {
  test('behavior: an endless body of a 205 does not flow on after the answer', async () => {
    let sent = 0
    const { url, fetch } = await setUp((response) => {
      const { socket } = response
      socket?.on('error', () => {})
      socket?.write('HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n')
      const timer = setInterval(() => {
        if (socket?.destroyed) return clearInterval(timer)
        sent += 1
        socket?.write('1\r\nx\r\n')
      }, 10)
      onTestFinished(() => {
        clearInterval(timer)
        socket?.destroy()
      })
    })
    const response = await fetch(url)
    expect(response.status).toBe(205)
    await sleep(300)
    const before = sent
    await sleep(300)
    expect(sent - before).toBeLessThan(3)
  })

  test.each([
    ['a control character in the reason', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nhi'],
    ['a delete in the reason', 'HTTP/1.1 200 O\x7fK\r\nContent-Length: 2\r\n\r\nhi'],
    ['latin1 in the reason', 'HTTP/1.1 200 \xfcK\r\nContent-Length: 2\r\n\r\nhi'],
    ['no reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi'],
    ['HTTP/1.0 without a length', 'HTTP/1.0 200 OK\r\n\r\nhi'],
    [
      'trailers',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nhi\r\n0\r\nX-T: 1\r\n\r\n',
    ],
    ['bytes after the end', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n\r\nmore'],
    [
      'a hundred 1xx',
      `${'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'.repeat(100)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi`,
    ],
  ])('behavior: a paid body is not lost after %s', async (_, text) => {
    const { url, fetch } = await setUp(raw(text))
    expect(await fetch(url).then((one) => one.text())).toBe('hi')
  })

  test('behavior: a storm of 1xx ends by the limit', async () => {
    const { url, fetch } = await setUp(
      (response) => {
        const { socket } = response
        socket?.on('error', () => {})
        const timer = setInterval(() => socket?.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(50)), 5)
        onTestFinished(() => {
          clearInterval(timer)
          socket?.destroy()
        })
      },
      { timeoutMs: 300 },
    )
    await expect(fetch(url)).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('behavior: a total limit without end is none', async () => {
    const { url, fetch } = await setUp((response) => response.end('hi'), { totalMs: 2 ** 31 })
    const result = await fetch(url).then(async (one) => {
      await sleep(50)
      return one.text()
    })
    expect(result).toBe('hi')
    const read = readContent({ totalMs: 2 ** 31 }, { tooLarge: '', tooLong: '' })
    const slow = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await sleep(30)
        controller.enqueue(Buffer.from('hi'))
        controller.close()
      },
    })
    const { content } = await read(
      new Response(slow, { headers: { 'content-type': 'text/plain' } }),
      null,
      Date.now(),
    )
    expect(content).toBe('hi')
  })

  test('behavior: a bomb of nested codings stays within maxBytes', async () => {
    let bomb: Buffer = Buffer.alloc(50_000_000)
    for (let layer = 0; layer < 3; layer++) bomb = gzipSync(bomb)
    const { url, fetch } = await setUp((response) => {
      response.setHeader('content-encoding', 'gzip, gzip, gzip')
      response.setHeader('content-type', 'text/plain')
      response.end(bomb)
    })
    const before = process.memoryUsage().arrayBuffers
    const response = await fetch(url)
    const { content, cut } = await readContent({}, { tooLarge: '', tooLong: '' })(response, null, Date.now())
    expect(content?.length).toBe(262_144)
    expect(cut).toMatchObject({ name: 'AnswerLimitError' })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
  })

  test.each([
    ['application/pdf; charset=ISO-8859-1'],
    ['image/png;charset=iso-8859-1'],
    ['application/octet-stream; charset=windows-1252'],
  ])('behavior: bytes stay bytes, whatever charset a server adds: %s', async (type) => {
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0x80, 0xff])
    const response = new Response(bytes, { headers: { 'content-type': type } })
    const { content, encoding } = await readContent({}, { tooLarge: '', tooLong: '' })(
      response,
      null,
      Date.now(),
    )
    expect([encoding, content]).toEqual(['base64', bytes.toString('base64')])
  })
})
