import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { originHash } from '../originHash.ts'
import { readUpTo } from '../readUpTo.ts'
import { plain, TEXT, type WitnessAnswer } from './answer.ts'
import type { Witness } from './createWitness.ts'

/** Largest request: 63 hashes and a checkpoint with its signatures. */
const MAX_BODY_BYTES = 64 * 1024
const REQUEST_TIMEOUT_MS = 10_000

export type WitnessServerOptions = {
  readonly witness: Witness
  /** Receives why a request could not be answered. */
  readonly onError: (error: unknown) => void
}

/** Creates the HTTP server of a witness: `POST /add-checkpoint`, `GET /<SHA-256 of an origin>/checkpoint`, `GET /`. */
export function createWitnessServer({ witness, onError }: WitnessServerOptions): Server {
  const byHash = new Map(witness.origins.map((origin) => [originHash(origin), origin] as const))

  const answer = async (request: IncomingMessage): Promise<WitnessAnswer> => {
    const path = request.url ?? ''
    if (path === '/add-checkpoint') {
      if (request.method !== 'POST') return plain(405, 'Use POST.')
      const body = await readUpTo(request, MAX_BODY_BYTES)
      return body === undefined ? plain(413, 'At most 64 kB.') : witness.addCheckpoint(body)
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'Use GET.')
    if (path === '/') return plain(200, [witness.verifierKey, ...witness.origins].join('\n'))
    const origin = byHash.get(/^\/([0-9a-f]{64})\/checkpoint$/.exec(path)?.[1] ?? '')
    const note = origin === undefined ? undefined : await witness.checkpoint(origin)
    return note === undefined ? plain(404, 'Nothing is here.') : { status: 200, type: TEXT, body: note }
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (made) => send(request, response, made),
      (error: unknown) => {
        onError(error)
        send(request, response, plain(503, 'Not available at present.'))
      },
    )
  })
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.headersTimeout = REQUEST_TIMEOUT_MS
  return server
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, body }: WitnessAnswer,
): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...(status === 413 && { Connection: 'close' }),
    ...(status === 503 && { 'Retry-After': '10' }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}
