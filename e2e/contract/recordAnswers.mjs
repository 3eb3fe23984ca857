// Records each response of a Touchstone server as sent, as JSON lines in a folder. Plain JavaScript, since it is also
// loaded into processes that cannot load TypeScript.
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'

const CHANNEL = 'touchstone402.http.server'
// Larger bodies are written to a file, so that tests that measure memory do not measure this recorder.
const HELD_BYTES = 1 << 20

/** Recordings that are running, the current one last. */
const recordings = []

/**
 * Records the responses of this thread in a folder, of servers that are created from now on or during an earlier
 * recording. A recording that starts during another one takes its place until it ends.
 * @returns a function that ends it
 */
export function recordAnswers(folder) {
  const recording = { folder, name: randomUUID(), bodies: 0 }
  if (recordings.length === 0) subscribe(CHANNEL, follow)
  recordings.push(recording)
  return () => {
    recordings.splice(recordings.indexOf(recording), 1)
    if (recordings.length === 0) unsubscribe(CHANNEL, follow)
  }
}

function follow({ server }) {
  server.prependListener('request', record)
  server.on('connection', recordRefusals)
}

function record(request, response) {
  const recording = recordings.at(-1)
  if (recording === undefined) return
  let bodyFile
  let chunks = []
  let held = 0
  const flush = () => {
    bodyFile ??= `${recording.name}-${++recording.bodies}.body`
    if (isOpen(recording)) appendFileSync(join(recording.folder, bodyFile), Buffer.concat(chunks))
    chunks = []
    held = 0
  }
  const keep = (chunk, encoding) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk))
    held += chunks.at(-1).length
    if (held > HELD_BYTES) flush()
  }
  const { write, end } = response
  response.write = function (chunk, encoding, ...rest) {
    keep(chunk, typeof encoding === 'string' ? encoding : undefined)
    return write.call(this, chunk, encoding, ...rest)
  }
  response.end = function (chunk, encoding, ...rest) {
    keep(chunk, typeof encoding === 'string' ? encoding : undefined)
    return end.call(this, chunk, encoding, ...rest)
  }
  response.once('finish', () => {
    if (bodyFile !== undefined) flush()
    append(recording, {
      method: request.method,
      url: request.url,
      // The head as sent. Headers passed to writeHead() as a list are not available elsewhere.
      head: response._header,
      ...(bodyFile === undefined ? { body: Buffer.concat(chunks).toString('base64') } : { bodyFile }),
    })
  })
}

/** Records refusals of malformed requests, which are written to the socket without a response object. */
function recordRefusals(socket) {
  const { end } = socket
  socket.end = function (chunk, ...rest) {
    const recording = recordings.at(-1)
    if (recording !== undefined && typeof chunk === 'string') {
      const [head, body = ''] = chunk.split('\r\n\r\n')
      append(recording, { method: null, url: null, head, body: Buffer.from(body).toString('base64') })
    }
    return end.call(this, chunk, ...rest)
  }
}

function append(recording, answer) {
  if (isOpen(recording))
    appendFileSync(join(recording.folder, `${recording.name}.jsonl`), `${JSON.stringify(answer)}\n`)
}

/** A response may end after its recording, or in a process that outlives it. */
function isOpen(recording) {
  return recordings.includes(recording) && existsSync(recording.folder)
}
