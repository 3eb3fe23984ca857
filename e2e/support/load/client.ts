import { connect, type Socket } from 'node:net'

/** What came of some requests. */
export type Served = {
  readonly answered: number
  readonly errors: number
  /** Ascending. */
  readonly latenciesMs: Float64Array
}

export type LoadOptions = {
  readonly origin: string
  /** The path of each request, in turn. */
  readonly nextPath: () => string
  readonly durationMs: number
  readonly connections: number
  /** Requests a second; without it each connection always waits for this many answers. */
  readonly perSecond?: number
  readonly depth?: number
}

type Connection = { socket: Socket; sentAt: number[]; pending: Buffer }

/** What `fetch` of Node says of itself in each request. */
const HEAD = [
  'Connection: keep-alive',
  'Accept: */*',
  'Accept-Language: *',
  'Sec-Fetch-Mode: cors',
  'User-Agent: node',
  'Accept-Encoding: gzip, deflate',
].join('\r\n')

/**
 * Sends requests over bare sockets, since an HTTP client would take longer for each than the server does. A refusal, a
 * status of 400 and above, or an answer that never comes counts as an error.
 */
export async function sendLoad(options: LoadOptions): Promise<Served> {
  const { hostname, port } = new URL(options.origin)
  const latencies: number[] = []
  let errors = 0
  let isOver = false
  const head = `HTTP/1.1\r\nHost: ${hostname}\r\n${HEAD}\r\n\r\n`
  const request = () => `GET ${options.nextPath()} ${head}`
  const send = (connection: Connection, count: number) => {
    let text = ''
    for (let index = 0; index < count; index++) text += request()
    const at = performance.now()
    for (let index = 0; index < count; index++) connection.sentAt.push(at)
    connection.socket.write(text)
  }
  const open = async (): Promise<Connection> => {
    const socket = connect(Number(port), hostname).setNoDelay()
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    const connection: Connection = { socket, sentAt: [], pending: Buffer.alloc(0) }
    socket.on('data', (chunk) => {
      const answers = readAnswers(connection, chunk)
      const now = performance.now()
      for (const status of answers) {
        latencies.push(now - (connection.sentAt.shift() ?? now))
        if (status >= 400) errors++
      }
      if (!isOver && options.perSecond === undefined && answers.length > 0) send(connection, answers.length)
    })
    socket.on('error', () => errors++)
    return connection
  }
  const connections = await Promise.all(Array.from({ length: options.connections }, open))
  const startedAt = performance.now()
  await new Promise<void>((resolve) => {
    if (options.perSecond === undefined) {
      for (const connection of connections) send(connection, options.depth ?? 1)
      setTimeout(resolve, options.durationMs)
      return
    }
    const { perSecond } = options
    let sent = 0
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedAt
      for (const due = (elapsed / 1000) * perSecond; sent < due; sent++) {
        const connection = connections[sent % connections.length]
        if (connection) send(connection, 1)
      }
      if (elapsed < options.durationMs) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  isOver = true
  await waitForRest(connections)
  for (const { socket, sentAt } of connections) {
    errors += sentAt.length
    socket.destroy()
  }
  return { answered: latencies.length, errors, latenciesMs: Float64Array.from(latencies).sort() }
}

/** The value below which this share of ascending values lies. */
export const quantile = (ascending: Float64Array, share: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN

const REST_MS = 5000

async function waitForRest(connections: readonly Connection[]): Promise<void> {
  const end = Date.now() + REST_MS
  while (connections.some(({ sentAt }) => sentAt.length > 0) && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 5))
}

/** The statuses of the answers that end with this chunk. */
function readAnswers(connection: Connection, chunk: Buffer): number[] {
  const statuses: number[] = []
  let data = connection.pending.length === 0 ? chunk : Buffer.concat([connection.pending, chunk])
  for (;;) {
    const end = data.indexOf('\r\n\r\n')
    if (end < 0) break
    const head = data.toString('latin1', 0, end)
    const length = /^content-length: (\d+)/im.exec(head)?.[1]
    if (length === undefined) throw new Error(`an answer without a length: ${head}`)
    const next = end + 4 + Number(length)
    if (data.length < next) break
    statuses.push(Number(head.slice(9, 12)))
    data = data.subarray(next)
  }
  connection.pending = data
  return statuses
}
