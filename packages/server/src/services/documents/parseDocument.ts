import { type HostTexts, readHostPage } from '../../directories/hostPage.ts'
import type { PackageFacts } from '../../facts/mcpFacts.ts'
import { type PackumentText, readPackumentText } from '../../mcp/packument.ts'
import type { DirectoryPage } from '../../ports/directory.ts'

/** Untrusted documents to parse. */
export type DocumentWork =
  | ({ readonly kind: 'host' } & HostTexts)
  | ({ readonly kind: 'package' } & PackumentText)

/** Parsed documents; empty if they are unreadable. */
export type DocumentAnswer = { readonly page?: DirectoryPage; readonly facts?: PackageFacts }

/** Parses documents in the calling thread, which large ones hold up for up to a second. */
export function parseDocument(work: DocumentWork): DocumentAnswer {
  try {
    return work.kind === 'host' ? { page: readHostPage(work) } : { facts: readPackumentText(work) }
  } catch {
    // Such as a stack that a deeply nested document exceeds.
    return {}
  }
}
