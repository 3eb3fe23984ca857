// Loaded into every process of a run (`node --import`). Records each response of a Touchstone server as sent, as JSON
// lines in the folder TOUCHSTONE_ANSWERS. Plain JavaScript, since some of the processes cannot load TypeScript.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

// Larger bodies are written to a file, so that tests that measure memory do not measure this recorder.
const HELD_BYTES = 1 << 20

let answers = 0

subscribe('touchstone402.http.server', ({ server }) => {
  server.prependListener('request', record)
  server.on('connection', recordRefusals)
})

function record(request, response) {
  const folder = process.env.TOUCHSTONE_ANSWERS
  if (folder === undefined) return
  answers += 1
  const bodyFile = `${process.pid}-${answers}.body`
  let chunks = []
  let held = 0
  let isInFile = false
  const flush = () => {
    appendFileSync(join(folder, bodyFile), Buffer.concat(chunks))
    chunks = []
    held = 0
    isInFile = true
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
    if (isInFile) flush()
    append(folder, {
      method: request.method,
      url: request.url,
      // The head as sent. Headers passed to writeHead() as a list are not available elsewhere.
      head: response._header,
      ...(isInFile ? { bodyFile } : { body: Buffer.concat(chunks).toString('base64') }),
    })
  })
}

/** Records refusals of malformed requests, which are written to the socket without a response object. */
function recordRefusals(socket) {
  const { end } = socket
  socket.end = function (chunk, ...rest) {
    const folder = process.env.TOUCHSTONE_ANSWERS
    if (folder !== undefined && typeof chunk === 'string') {
      const [head, body = ''] = chunk.split('\r\n\r\n')
      append(folder, { method: null, url: null, head, body: Buffer.from(body).toString('base64') })
    }
    return end.call(this, chunk, ...rest)
  }
}

function append(folder, answer) {
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(answer)}\n`)
}
