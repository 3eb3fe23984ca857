import { createReadStream, existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Received } from './createChecker.ts'

type Recorded = {
  readonly method: string | null
  readonly url: string | null
  readonly head: string
  readonly body?: string
  readonly bodyFile?: string
}

/** Reads the responses that `recordAnswers.mjs` wrote to a folder, with decompressed bodies. */
export async function* readAnswers(folder: string): AsyncGenerator<Received> {
  const files = existsSync(folder) ? await readdir(folder) : []
  for (const file of files.filter((name) => name.endsWith('.jsonl'))) {
    for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
      const answer = parseLine(line)
      if (answer !== undefined) yield await toReceived(folder, answer)
    }
  }
}

/** Parses a line. Returns undefined for the truncated last line of a killed process. */
function parseLine(line: string): Recorded | undefined {
  try {
    return JSON.parse(line) as Recorded
  } catch {
    return undefined
  }
}

async function toReceived(
  folder: string,
  { method, url, head, body, bodyFile }: Recorded,
): Promise<Received> {
  const [first = '', ...lines] = head.trimEnd().split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  )
  const bytes =
    bodyFile === undefined ? Buffer.from(body ?? '', 'base64') : await readFile(join(folder, bodyFile))
  return {
    method,
    path: url === null ? null : pathOf(url),
    status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]),
    headers,
    // Node never sends a body after HEAD.
    body: method === 'HEAD' ? '' : decode(bytes, headers.get('content-encoding')).toString(),
  }
}

/** Returns the percent-encoded path of a request target, which may be an absolute URL. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/, '').replace(/[?#].*$/s, '') || '/'
}

function decode(bytes: Buffer, coding: string | null): Buffer {
  if (bytes.length === 0 || coding === null) return bytes
  return coding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)
}
