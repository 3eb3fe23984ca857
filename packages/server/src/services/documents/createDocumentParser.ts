import type { DirectoryPage } from '../../directories/directory.ts'
import type { HostTexts } from '../../directories/hostPage.ts'
import type { Unread } from '../../facts/facts.ts'
import type { PackageFacts } from '../../facts/mcpFacts.ts'
import { createThread, ThreadError, type ThreadOptions } from '../../lib/thread/createThread.ts'
import { isBuilt } from '../../lib/thread/isBuilt.ts'
import type { WorkLimits } from '../../lib/thread/limitWork.ts'
import type { PackumentText } from '../../mcp/packument.ts'
import { PARSERS } from './parsers.ts'

/** Parses untrusted documents. */
export type DocumentParser = {
  hostPage(texts: HostTexts): Promise<DirectoryPage | Unread>
  packument(text: PackumentText): Promise<PackageFacts | Unread>
  close(): Promise<void>
}

/** Script and limits of the parser thread. */
export type DocumentThreadOptions = Pick<ThreadOptions, 'script' | 'heapMb' | 'onError'> & {
  /** Limits of one document. */
  readonly limits: WorkLimits
}

/**
 * Creates the parser. Where the script is built, it parses in one thread, so that a large document delays neither
 * answers nor probes; one document after the other, so that a limit tells which of them is too costly.
 */
export function createDocumentParser({ limits, ...options }: DocumentThreadOptions): DocumentParser {
  const hasThread = isBuilt(options.script)
  const thread = hasThread ? createThread<typeof PARSERS>({ name: 'documents', ...options }) : null
  let turn: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(parse: () => T | Promise<T>): Promise<T | Unread> => {
    const parsed = turn.then(parse).catch((error: unknown): Unread => {
      return error instanceof ThreadError && !error.isTooCostly ? 'own_fault' : 'unreadable'
    })
    turn = parsed
    return parsed
  }
  return {
    hostPage: (texts) => inTurn(() => thread?.call('hostPage', texts, { limits }) ?? PARSERS.hostPage(texts)),
    packument: (text) => inTurn(() => thread?.call('packument', text, { limits }) ?? PARSERS.packument(text)),
    close: async () => thread?.close(),
  }
}
