// Loaded into every process of a run (`node --import`): writes down each answer that a Touchstone server in it sends,
// as it goes over the wire, one JSON object a line, in the folder that TOUCHSTONE_ANSWERS names. Plain JavaScript,
// since it also goes into processes that load no TypeScript.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

// More of one body than this is not held in memory, or the tests that measure memory would measure this file.
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
      // The head as it was sent: headers given to writeHead() as a list are nowhere else.
      head: response._header,
      ...(isInFile ? { bodyFile } : { body: Buffer.concat(chunks).toString('base64') }),
    })
  })
}

/** What cannot be read as HTTP is refused past the response, on the bare connection. */
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
