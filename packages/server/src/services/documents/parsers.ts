import { readHostPage } from '../../directories/hostPage.ts'
import { readPackumentText } from '../../mcp/packument.ts'

/**
 * Parsers of untrusted documents. A large one holds up the calling thread for up to a second. They throw for a document
 * that they cannot read, such as one that is nested deeper than the stack.
 */
export const PARSERS = {
  hostPage: readHostPage,
  packument: readPackumentText,
}
