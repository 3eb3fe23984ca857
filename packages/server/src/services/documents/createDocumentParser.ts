import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { HostTexts } from '../../directories/hostPage.ts'
import type { PackageFacts } from '../../facts/mcpFacts.ts'
import { createThreadQueue, type ThreadQueue, type ThreadQueueOptions } from '../../lib/createThreadQueue.ts'
import type { PackumentText } from '../../mcp/packument.ts'
import type { DirectoryPage, Unread } from '../../ports/directory.ts'
import { type DocumentAnswer, type DocumentWork, parseDocument } from './parseDocument.ts'

/** Parses untrusted documents. */
export type DocumentParser = {
  hostPage(texts: HostTexts): Promise<DirectoryPage | Unread>
  packument(text: PackumentText): Promise<PackageFacts | Unread>
  close(): Promise<void>
}

/** Script of the thread, beside the built program. */
const THREAD = new URL('./documentsThread.js', import.meta.url)

/**
 * Creates the parser. Where the program is built, it parses in one thread, one document after the other, so that a large
 * one delays neither answers nor probes.
 */
export function createDocumentParser({
  script = THREAD,
  ...options
}: Partial<ThreadQueueOptions> = {}): DocumentParser {
  const queue: ThreadQueue<DocumentWork, DocumentAnswer> = existsSync(fileURLToPath(script))
    ? createThreadQueue({ script, ...options })
    : { ask: async (work) => ({ answer: parseDocument(work) }), close: async () => {} }
  const parse = async (work: DocumentWork): Promise<DocumentAnswer | { readonly unread: Unread }> => {
    const done = await queue.ask(work)
    if ('answer' in done) return done.answer
    return { unread: done.failure === 'too_costly' ? 'unreadable' : 'own_fault' }
  }
  return {
    async hostPage(texts) {
      const parsed = await parse({ kind: 'host', ...texts })
      return 'unread' in parsed ? parsed.unread : (parsed.page ?? 'unreadable')
    },
    async packument(text) {
      const parsed = await parse({ kind: 'package', ...text })
      return 'unread' in parsed ? parsed.unread : (parsed.facts ?? 'unreadable')
    },
    close: queue.close,
  }
}
