import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { messageOf } from '../../../errors.ts'
import { type OldLine, parseLine } from './oldLine.ts'

/** One file of the log. */
export type Segment = { readonly path: string; readonly bytes: number }

/** One complete call of the log. */
export type OldCall = { readonly seq: number; readonly lines: readonly OldLine[] }

/** Calls that end in one chunk of a segment, and the size of the chunk in bytes. */
export type CallChunk = { readonly calls: readonly OldCall[]; readonly bytes: number }

/** Content of a segment besides complete calls. */
export type Leftover = {
  /** Bytes before the last complete call. A crash affects only the end of a segment, so this is damage. */
  readonly damagedBytes: number
  /** Bytes after the last complete call. */
  readonly tailBytes: number
  /** Whether a later version wrote the tail. */
  readonly newer: boolean
}

const NAME = /^\d{8}\.ndjson$/
const CHUNK_BYTES = 1024 * 1024
const LINE_BREAK = 10

/** Lists the segments of a log, oldest first. */
export async function listSegments(log: string): Promise<Segment[]> {
  const names = (await readdir(log)).filter((name) => NAME.test(name)).sort()
  const paths = names.map((name) => join(log, name))
  return Promise.all(paths.map(async (path) => ({ path, bytes: (await stat(path)).size })))
}

/**
 * Reads a segment once from its start, holding one chunk and one call in memory.
 * @throws StoreOpenError if the file cannot be read
 */
export async function* readSegment(path: string): AsyncGenerator<CallChunk, Leftover, void> {
  const parser = createCallParser()
  try {
    const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: CHUNK_BYTES })
    for await (const chunk of stream) yield { calls: parser.push(chunk), bytes: chunk.length }
  } catch (cause) {
    throw new StoreOpenError(`Cannot read ${path}: ${messageOf(cause)}`, { cause })
  }
  return parser.leftover()
}

/** Splits chunks of a segment into calls. */
export function createCallParser() {
  let rest: Buffer = Buffer.alloc(0)
  let lines: OldLine[] = []
  let callBytes = 0
  let wholeBytes = 0
  let readBytes = 0
  let end = 0
  let newer = false

  /** Adds a line; returns its call if that is complete. */
  const add = (line: ReturnType<typeof parseLine>, bytes: number): OldCall | undefined => {
    readBytes += bytes
    if (line === 'newer') newer = true
    if (typeof line === 'string' || line.part === 0 || !continues(lines, line)) {
      lines = []
      callBytes = 0
    }
    if (typeof line === 'string' || !continues(lines, line)) return undefined
    lines.push(line)
    callBytes += bytes
    if (lines.length < line.parts) return undefined
    const call = { seq: line.seq, lines }
    wholeBytes += callBytes
    end = readBytes
    // Followed by a complete call of this version, a line that looks newer is damage.
    newer = false
    lines = []
    callBytes = 0
    return call
  }

  return {
    push(chunk: Buffer): OldCall[] {
      const calls: OldCall[] = []
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let start = 0
      // What was left over before holds no line break.
      let lineBreak = data.indexOf(LINE_BREAK, rest.length)
      while (lineBreak >= 0) {
        const call = add(parseLine(data.toString('utf8', start, lineBreak)), lineBreak + 1 - start)
        if (call) calls.push(call)
        start = lineBreak + 1
        lineBreak = data.indexOf(LINE_BREAK, start)
      }
      rest = data.subarray(start)
      return calls
    },
    leftover: (): Leftover => ({
      damagedBytes: end - wholeBytes,
      tailBytes: readBytes + rest.length - end,
      newer,
    }),
  }
}

function continues(lines: readonly OldLine[], line: OldLine): boolean {
  const [first] = lines
  return line.part === lines.length && (!first || (first.seq === line.seq && first.parts === line.parts))
}
