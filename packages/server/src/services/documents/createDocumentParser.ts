import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { HostTexts } from '../../directories/hostPage.ts'
import type { PackageFacts } from '../../facts/mcpFacts.ts'
import { createThreadQueue, type ThreadQueueOptions } from '../../lib/createThreadQueue.ts'
import type { PackumentText } from '../../mcp/packument.ts'
import type { DirectoryPage } from '../../ports/directory.ts'
import { type DocumentAnswer, type DocumentWork, parseDocument } from './parseDocument.ts'

/** Parses untrusted documents. Null for those that take too long or cannot be read. */
export type DocumentParser = {
  hostPage(texts: HostTexts): Promise<DirectoryPage | null>
  packument(text: PackumentText): Promise<PackageFacts | null>
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
  const queue = existsSync(fileURLToPath(script))
    ? createThreadQueue<DocumentWork, DocumentAnswer>({ script, ...options })
    : { ask: async (work: DocumentWork) => parseDocument(work), close: async () => {} }
  return {
    hostPage: async (texts) => (await queue.ask({ kind: 'host', ...texts }))?.page ?? null,
    packument: async (text) => (await queue.ask({ kind: 'package', ...text }))?.facts ?? null,
    close: queue.close,
  }
}
