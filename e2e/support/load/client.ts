import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** Result of a load run. */
export type Served = {
  readonly answered: number
  readonly errors: number
  /** Number of responses by status, of those that count as errors. */
  readonly refused: Readonly<Record<number, number>>
  /** Latencies in ascending order. */
  readonly latenciesMs: Float64Array
}

export type LoadOptions = {
  readonly origin: string
  /** Returns the path of the next request. */
  readonly nextPath: () => string
  readonly durationMs: number
  /**
   * Requests per second. Each is sent once a connection is free and timed from when it was due. Without a rate, each
   * connection sends its next request after the previous response.
   */
  readonly perSecond?: number
}

/** Closed loop: each connection sends its next request after the previous response. */
type Connection = { socket: Socket; dueAt: number }

/** Headers that Node's `fetch` sends with each request. */
const HEAD = [
  'Connection: keep-alive',
  'Accept: */*',
  'Accept-Language: *',
  'Sec-Fetch-Mode: cors',
  'User-Agent: node',
  'Accept-Encoding: gzip, deflate',
].join('\r\n')

/** Open connections. */
const CONNECTIONS = 32
/** How long to wait for outstanding responses at the end, in ms. */
const REST_MS = 5000

/**
 * Sends requests over plain sockets, since an HTTP client would cost more time per request than the server. Each
 * carries its own `traceparent`, so no two heads are equal. A refusal, a status of 400 or above, and a missing response
 * count as errors.
 */
export async function sendLoad({ perSecond, durationMs, ...options }: LoadOptions): Promise<Served> {
  const { hostname, port } = new URL(options.origin)
  const head = `HTTP/1.1\r\nHost: ${hostname}\r\n${HEAD}\r\ntraceparent: 00-${randomBytes(16).toString('hex')}-`
  const latencies = createTimes()
  const free: Connection[] = []
  const refused: Record<number, number> = {}
  let errors = 0
  let sent = 0
  let startedAt = 0

  const dueAt = (now: number) => (perSecond === undefined ? now : startedAt + (sent / perSecond) * 1000)
  const goOn = (connection: Connection, now: number) => {
    const due = dueAt(now)
    if (due > now || due >= startedAt + durationMs) {
      free.push(connection)
      return
    }
    sent++
    connection.dueAt = due
    const span = sent.toString(16).padStart(16, '0')
    connection.socket.write(`GET ${options.nextPath()} ${head}${span}-01\r\n\r\n`)
  }
  const open = async (): Promise<Connection> => {
    const read = createReader((status) => {
      const now = performance.now()
      latencies.add(now - connection.dueAt)
      if (status >= 400) {
        errors++
        refused[status] = (refused[status] ?? 0) + 1
      }
      goOn(connection, now)
    })
    // Reuse one buffer: GC pauses here would count as the server's.
    const onread = { buffer: Buffer.alloc(READ_BYTES), callback: read }
    const socket = connect({ port: Number(port), host: hostname, noDelay: true, onread })
    const connection: Connection = { socket, dueAt: 0 }
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    socket.on('error', () => errors++)
    return connection
  }
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, open))
  startedAt = performance.now()
  for (const connection of connections) goOn(connection, startedAt)
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now()
      for (let waiting = free.length; waiting > 0 && dueAt(now) <= now; waiting--) {
        const connection = free.shift()
        if (connection !== undefined) goOn(connection, now)
      }
      const isDone = free.length === connections.length && dueAt(now) >= startedAt + durationMs
      if (!isDone && now < startedAt + durationMs + REST_MS) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  errors += connections.length - free.length
  for (const { socket } of connections) socket.destroy()
  const latenciesMs = latencies.sorted()
  return { answered: latenciesMs.length, errors, refused, latenciesMs }
}

/** Growable list of numbers that causes no GC pressure. */
function createTimes() {
  let times = new Float64Array(100_000)
  let count = 0
  return {
    add(time: number): void {
      if (count === times.length) {
        const larger = new Float64Array(2 * count)
        larger.set(times)
        times = larger
      }
      times[count++] = time
    },
    sorted: () => times.slice(0, count).sort(),
  }
}

/** Returns the quantile of ascending values. */
export const quantile = (ascending: Float64Array, share: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN

/** Merges lists of values into one in ascending order. */
export function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all.sort()
}

const READ_BYTES = 65_536
const LENGTH = Buffer.from('Content-Length: ')
const HEAD_END = Buffer.from('\r\n\r\n')
const [ZERO, CR] = [0x30, 0x0d]

/** Creates an incremental response parser that reports the status of each complete response. */
function createReader(onStatus: (status: number) => void): (length: number, piece: Uint8Array) => boolean {
  let status = 0
  /** Remaining bytes of the body. */
  let left = 0
  return (length, piece) => {
    const data = piece as Buffer
    if (left === 0) {
      const headEnd = data.indexOf(HEAD_END)
      const at = data.indexOf(LENGTH) + LENGTH.length
      if (headEnd < 0 || headEnd >= length || at < LENGTH.length || at > headEnd) {
        throw new Error(`incomplete response head: ${data.toString('latin1', 0, length)}`)
      }
      status = Number(data.toString('latin1', 9, 12))
      for (let index = at; data[index] !== CR; index++) left = left * 10 + (data[index] ?? 0) - ZERO
      left += headEnd + HEAD_END.length
    }
    left -= length
    if (left < 0) throw new Error('response longer than its Content-Length')
    if (left === 0) onStatus(status)
    return true
  }
}
