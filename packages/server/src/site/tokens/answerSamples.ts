import { OPERATIONS } from '@touchstone402/shared'
import tokenExamples from '../../http/tokenExamples.json' with { type: 'json' }
import { TOKEN_OPERATIONS } from '../../tokens/describeToken.ts'

/** Keeps the first item of each list, so that an answer shows its shape in little room. */
function cutLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(cutLists)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutLists(inner)]))
}

/** A recorded answer of each token operation as JSON, with one item of each list. */
export const TOKEN_SAMPLES = TOKEN_OPERATIONS.map((id) => ({
  path: OPERATIONS[id].path,
  json: JSON.stringify(cutLists(tokenExamples[id])),
}))
