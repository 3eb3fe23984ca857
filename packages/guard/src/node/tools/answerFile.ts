import { randomUUID } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { extensionOf } from '../http/mediaTypes.ts'

/** An answer exceeded a limit, or could not be stored. */
export class AnswerLimitError extends Error {
  override readonly name = 'AnswerLimitError'
  /** How to get the whole answer. */
  readonly remedy: string
  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}

/** A file that takes an answer. */
export type AnswerFile = {
  readonly path: string
  /** Appends bytes. @throws AnswerLimitError */
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
  /** Closes and removes it. */
  discard(): Promise<void>
}

const MAX_BYTES = 1024 * 1024 * 1024
const CORRECT_FOLDER = 'Ask the owner to correct the folder for files.'

const fault = (cause: unknown) =>
  Object.assign(new AnswerLimitError('its file could not be written', CORRECT_FOLDER), { cause })

/**
 * Creates a file of mode 600 in a folder. Its name is random, and its extension one of a fixed list.
 * @throws AnswerLimitError
 */
export async function createAnswerFile(folder: string, contentType: string | null): Promise<AnswerFile> {
  const path = join(resolve(folder), `${randomUUID()}.${extensionOf(contentType)}`)
  const handle = await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(() => open(path, 'wx', 0o600))
    .catch((cause: unknown) => {
      throw fault(cause)
    })
  const close = () => handle.close().catch(() => {})
  let size = 0
  return {
    path,
    async write(bytes) {
      size += bytes.byteLength
      if (size > MAX_BYTES)
        throw new AnswerLimitError(
          `more than ${MAX_BYTES} bytes`,
          'Ask the owner to get it by `pay <url> > file`.',
        )
      await handle.appendFile(bytes).catch((cause: unknown) => {
        throw fault(cause)
      })
    },
    close,
    async discard() {
      await close()
      await rm(path, { force: true })
    },
  }
}
