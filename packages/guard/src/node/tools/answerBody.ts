import { IDLE_MS, limitBody, startClock, TOTAL_MS } from '../http/clock.ts'
import { decodeText } from '../http/mediaTypes.ts'
import { type AnswerFile, AnswerLimitError, createAnswerFile } from './answerFile.ts'

/**
 * How a tool reads answers.
 * @example
 * const answers: AnswerOptions = { filesFolder: '/var/lib/agent/answers' }
 */
export type AnswerOptions = {
  /** Largest answer that is returned as content, bytes. @default 262144 */
  maxBytes?: number
  /**
   * Folder for answers that are no text or exceed `maxBytes`, up to 1 GiB each. They are written to files of mode 600
   * with random names, and the result has the path. @default null, none
   */
  filesFolder?: string | null
  /** Longest wait for the next bytes of a body, ms. @default 60000 */
  idleMs?: number
  /** Longest call, body included, ms. @default 900000 */
  totalMs?: number
}

/** A body, as far as it came. */
export type AnswerBody = {
  content: string | null
  encoding: 'base64' | null
  file: string | null
  /** Why the body is incomplete; null if it is whole. */
  cut: unknown
}

/** Reads the body of the answer to a call that began at `startedAt`, Unix time in ms. */
export type ReadBody = (
  response: Response,
  signal: AbortSignal | null,
  startedAt: number,
) => Promise<AnswerBody>

/** How to get the whole of an answer that exceeds `maxBytes` or `totalMs`. */
export type Remedies = { tooLarge: string; tooLong: string }

const MAX_BYTES = 256 * 1024

/** Creates a reader that returns text as it is, and other bodies as base64 or in a file. */
export function readContent(options: AnswerOptions, { tooLarge, tooLong }: Remedies): ReadBody {
  const { maxBytes = MAX_BYTES, filesFolder = null } = options
  return async (response, signal, startedAt) => {
    const type = response.headers.get('content-type')
    const held: Uint8Array[] = []
    const files: AnswerFile[] = []
    const openFile = async (folder: string) => {
      const file = await createAnswerFile(folder, type)
      try {
        for (const bytes of held) await file.write(bytes)
      } catch (error) {
        await file.discard()
        throw error
      }
      files.push(file)
    }
    let room = maxBytes
    const limits = { ...options, startedAt, tooLong }
    const cut = await passOn(response, limits, signal, async (bytes) => {
      if (bytes.byteLength > room && files.length === 0 && filesFolder !== null) await openFile(filesFolder)
      const [file] = files
      if (file !== undefined) return file.write(bytes)
      held.push(bytes.subarray(0, room))
      if (bytes.byteLength > room) throw new AnswerLimitError(`more than ${maxBytes} bytes`, tooLarge)
      room -= bytes.byteLength
    })
    const whole = Buffer.concat(held)
    const text = files.length > 0 ? null : decodeText(whole, type, cut !== null)
    // Without its file, the answer is still there.
    if (text === null && files.length === 0 && filesFolder !== null)
      await openFile(filesFolder).catch(() => {})
    const [file] = files
    await file?.close()
    if (file !== undefined) return { content: null, encoding: null, file: file.path, cut }
    if (text !== null) return { content: text, encoding: null, file: null, cut }
    return { content: whole.toString('base64'), encoding: 'base64', file: null, cut }
  }
}

/** Creates a reader that writes the bytes of a body as they come. */
export function writeContent(
  write: (bytes: Uint8Array) => Promise<void>,
  { tooLong }: Pick<Remedies, 'tooLong'>,
): ReadBody {
  return async (response, signal, startedAt) => {
    const print = (bytes: Uint8Array) =>
      write(bytes).catch(() => {
        throw new AnswerLimitError('the output was closed', 'Keep the output open to the end of the answer.')
      })
    const cut = await passOn(response, { startedAt, tooLong }, signal, print)
    return { content: null, encoding: null, file: null, cut }
  }
}

type Limits = Pick<AnswerOptions, 'idleMs' | 'totalMs'> & { startedAt: number; tooLong: string }

/** Passes the bytes of a body on until its end. Returns the error that ended it early, or null. */
async function passOn(
  { body }: Response,
  { idleMs = IDLE_MS, totalMs = TOTAL_MS, startedAt, tooLong }: Limits,
  signal: AbortSignal | null,
  take: (bytes: Uint8Array) => Promise<void>,
): Promise<unknown> {
  if (body === null) return null
  const leftMs = startedAt + totalMs - Date.now()
  const clock = startClock(signal, { answerMs: idleMs, idleMs, totalMs: leftMs })
  try {
    for await (const bytes of limitBody(body, clock) as ReadableStream<Uint8Array> &
      AsyncIterable<Uint8Array>)
      await take(bytes)
    return null
  } catch (error) {
    if (clock.isOver()) return new AnswerLimitError(`no end within ${totalMs} ms`, tooLong)
    return error ?? new Error('aborted')
  } finally {
    clock.stop()
  }
}
