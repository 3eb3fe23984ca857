import type { IncomingMessage } from 'node:http'
import { addAbortSignal, Readable } from 'node:stream'
import type { Shares } from './shares.ts'

/** Room for the bodies of calls which may have to be paid, in bytes, and the task that takes some. */
export type BodyRoom = { shares: Shares; holder: string }

/** Why the body of a call cannot be taken. */
export class BodyRefusedError extends Error {
  override readonly name = 'BodyRefusedError'
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, reason: string) {
    super(reason)
    this.status = status
    this.code = code
  }
}

/** Largest body that is kept, to be sent a second time with a payment. */
export const MAX_BODY = 4 * 1024 * 1024
/** All kept bodies together; each takes several times its size while its call is paid. */
const ALL_BODIES = 64 * 1024 * 1024
/** A body of unknown length that has not ended by then is sent on as it comes. */
const PATIENCE_MS = 200
/** A body of known length must have come by then. */
const DEADLINE_MS = 60_000

/** Returns the room for the bodies of a number of tasks, each of which has its own for one body at least. */
export const bodyBytes = (tasks: number): number => Math.max(ALL_BODIES, tasks * MAX_BODY)

const busy = () =>
  new BodyRefusedError(503, 'BUSY', 'The bodies of other calls take all room; call again in a moment.')
const slow = () => new BodyRefusedError(408, 'BODY_TOO_SLOW', 'The body did not come within a minute.')

/** Returns the length of a body in bytes; null if it is unknown. */
export function bodyLength({ headers }: IncomingMessage): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null
}

/**
 * Reads the body of a request for a call. One that is small and comes at once, or whose length is known and small, is
 * kept for a second send; all others are a stream. Null without one.
 * @throws BodyRefusedError
 */
export async function withBody<T>(
  request: IncomingMessage,
  signal: AbortSignal,
  room: BodyRoom,
  use: (body: Buffer | Readable | null) => Promise<T>,
): Promise<T> {
  const length = bodyLength(request)
  if (length === 0) return use(null)
  if (length !== null && length > MAX_BODY) return use(request)
  let held = 0
  const hold = (bytes: number) => {
    if (!room.shares.take(room.holder, bytes)) throw busy()
    held += bytes
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, length === null ? PATIENCE_MS : DEADLINE_MS, null)
  })
  const source = addAbortSignal(signal, request)[Symbol.asyncIterator]()
  // The stream below may never be read.
  const take = () => {
    const taken: Promise<IteratorResult<Buffer>> = source.next()
    taken.catch(() => {})
    return taken
  }
  const chunks: Buffer[] = []
  let size = 0
  try {
    hold(length ?? 0)
    let next = take()
    while (size <= MAX_BODY) {
      const read = await Promise.race([next, late])
      if (read === null && length !== null) throw slow()
      if (read === null) break
      if (read.done) return await use(size === 0 ? null : Buffer.concat(chunks))
      if (length === null) hold(read.value.length)
      chunks.push(read.value)
      size += read.value.length
      next = take()
    }
    const rest = async function* () {
      yield* chunks.splice(0)
      for (let read = await next; !read.done; read = await take()) yield read.value
    }
    return await use(Readable.from(rest(), { objectMode: false }))
  } finally {
    clearTimeout(timer)
    room.shares.give(room.holder, held)
  }
}
