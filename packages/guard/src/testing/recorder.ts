import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { listen, type TestServer } from './listen.ts'

/** A free seller that records what reaches it, byte for byte except for random boundaries. */
export type Recorder = TestServer & {
  /** Runs a client of a base URL; returns what reached the seller, and what the client had of it. */
  record(run: (url: string) => Promise<unknown>): Promise<{ received: string[]; outcome: unknown }>
}

const ENCODERS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }
// Of Node, and of the versions of axios.
const BOUNDARY = /-{4}formdata-undici-\d+|axios-[\d.]+-boundary-[\w-]{25}|axios-[\da-f]{36}/g
const TEXT = '{"weather":"sunny °C"}'

/**
 * Starts a seller. A path `redirect/303/next` redirects to `next`, `elsewhere/307/next` to another origin,
 * `encoded/gzip` answers in that encoding, `status/404` with that status; every other path answers 200.
 */
export async function startRecorder(): Promise<Recorder> {
  const runs = new Map<string, string[]>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url = '/', httpVersion, rawHeaders } = request
    const [, run = '', path = ''] = /^(\/run\d{6})(.*)$/.exec(url) ?? []
    const lines = [`${method} ${path} HTTP/${httpVersion}`]
    for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
    const whole = `${lines.join('\n')}\n\n${Buffer.concat(chunks).toString('latin1')}`
    runs.get(run)?.push(whole.replace(BOUNDARY, 'BOUNDARY'))
    const [, kind = '', value = '', rest] =
      /(redirect|elsewhere|encoded|status)\/(\w+)(?:\/(\w+))?/.exec(path) ?? []
    response.setHeader('date', 'now')
    if (rest !== undefined) {
      const location = `${kind === 'elsewhere' ? other.url : ''}${run}/${rest}`
      return response.writeHead(Number(value), { location }).end('moved')
    }
    const encoder = kind === 'encoded' ? ENCODERS[value as keyof typeof ENCODERS] : undefined
    if (encoder !== undefined) response.setHeader('content-encoding', value)
    response.statusCode = kind === 'status' ? Number(value) : 200
    response.end(encoder === undefined ? TEXT : encoder(TEXT))
  }
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch(() => response.destroy())
  }
  const [server, other] = [await listen(handle), await listen(handle)]
  let count = 0
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await other.stop()
    },
    async record(run) {
      const path = `/run${String(++count).padStart(6, '0')}`
      const received: string[] = []
      runs.set(path, received)
      const outcome = await run(server.url + path).catch(async (error: unknown) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return describeError(error)
      })
      runs.delete(path)
      // A client that finds a body too long while it sends it gives up before or after the seller has the head.
      if (JSON.stringify(outcome).includes('maxBodyLength')) received.length = 0
      return JSON.parse(JSON.stringify({ received, outcome }).replaceAll(path, ''))
    },
  }
}

const describeError = (error: unknown) => {
  const { name, code, message } = error as { name?: string; code?: string; message?: string }
  return { name, code, message }
}

/** Reads what a client returned as `data`, in every form that one has. */
export async function readData(data: unknown): Promise<unknown> {
  if (data instanceof Response) return [data.status, await data.text()]
  if (data instanceof Blob) return [data.type, await data.text()]
  if (data instanceof ReadableStream) return ['web stream', await new Response(data).text()]
  if (data instanceof ArrayBuffer) return ['ArrayBuffer', Buffer.from(data).toString('latin1')]
  if (Buffer.isBuffer(data)) return ['Buffer', data.toString('latin1')]
  if (typeof data !== 'object' || data === null || !('pipe' in data)) return data
  const stream = data as NodeJS.ReadableStream
  const chunks: Buffer[] = []
  stream.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
  await once(stream, 'end')
  return ['stream', Buffer.concat(chunks).toString('latin1')]
}
