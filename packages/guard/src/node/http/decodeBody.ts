import { type Duplex, pipeline, type Readable, Transform } from 'node:stream'
import zlib from 'node:zlib'

/** As `fetch` does, more codings are not decoded. */
const MAX_CODINGS = 5

/** Decodes a body as `fetch` does, also one that breaks off. One with an unknown coding is left as it is. */
export function decodeBody(body: Readable, headers: Headers): Readable {
  const decoders = findDecoders(headers).map((create) => create())
  return decoders.length === 0 ? body : (pipeline([body, ...decoders], () => {}) as unknown as Readable)
}

/** Whether the body of an answer is decoded; one with an unknown coding is left as it is. */
export const isDecoded = (headers: Headers): boolean => findDecoders(headers).length > 0

function findDecoders(headers: Headers): (() => Duplex)[] {
  const codings =
    headers
      .get('content-encoding')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  const known = codings.flatMap((coding) => DECODERS.get(coding) ?? [])
  return known.length < codings.length || codings.length > MAX_CODINGS ? [] : known.reverse()
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
const ZIP = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
const BROTLI = { flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }
const DECODERS = new Map<string, () => Duplex>([
  ['gzip', () => zlib.createGunzip(ZIP)],
  ['x-gzip', () => zlib.createGunzip(ZIP)],
  ['deflate', createInflate],
  ['br', () => zlib.createBrotliDecompress(BROTLI)],
])

/** Creates a decoder for deflate, with the header of zlib or, as some servers send it, without. */
function createInflate(): Transform {
  let inflate: zlib.Inflate | zlib.InflateRaw | undefined
  return new Transform({
    transform(chunk: Buffer, coding, done) {
      if (inflate === undefined && chunk.length === 0) return done()
      if (inflate === undefined) {
        const hasHeader = ((chunk[0] ?? 0) & 0x0f) === 8
        inflate = hasHeader ? zlib.createInflate(ZIP) : zlib.createInflateRaw(ZIP)
        inflate.on('data', (part) => this.push(part)).on('error', (error) => this.destroy(error))
      }
      inflate.write(chunk, coding, done)
    },
    flush(done) {
      if (inflate === undefined) return done()
      inflate.once('end', done).end()
    },
    destroy(error, done) {
      inflate?.destroy()
      done(error)
    },
  })
}
