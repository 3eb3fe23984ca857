import type { ListedRow, Observation, Unread } from '../facts/facts.ts'
import { OTHER_INPUT } from '../judge/refusals.ts'
import { type Ask, type AskContext, askEndpoint } from './askEndpoint.ts'

/** Entries that a host's own documents declare now, or why one is unread. */
export type Declared = readonly ListedRow[] | Unread

/** Context of a probe that reads the documents of its host. */
export type DeclaredContext = AskContext & {
  /** Reads what a host's own documents declare now, given its origin. */
  readonly readDeclared: (origin: string) => Promise<Declared>
}

/** Maximum number of entries of one endpoint that are asked. */
const MAX_ASKED = 3

/**
 * After a refused input, reads the host's documents again and asks what they declare now. Returns the first success, or
 * else the first probe, marked if all declared requests were refused.
 */
export async function askDeclared(ctx: DeclaredContext, ask: Ask, first: Observation): Promise<Observation> {
  if (first.cause !== 'input_needed' || !OTHER_INPUT.has(first.httpStatus)) return first
  const rows = await ctx.readDeclared(new URL(ask.endpoint).origin)
  // It is not known what an unread document declares.
  if (typeof rows === 'string') return first
  const own = rows.filter(({ endpoint }) => endpoint === ask.endpoint)
  // Without declared input, a seller that began to check its input looks the same.
  let isRefused =
    own.length <= MAX_ASKED && (ask.declaresInput || own.some(({ declaresInput }) => declaresInput))
  for (const { url, method, body, declaresInput } of own.slice(0, MAX_ASKED)) {
    if (ask.mayStart?.() === false) return first
    const methods = method === null ? ask.methods : [method]
    const declared = { url, methods, body, declaresInput, isKnown: method !== null }
    const again = await askEndpoint(ctx, { ...ask, ...declared, others: [], worked: undefined })
    if (again.outcome === 'up') return again
    isRefused &&= again.outcome === 'down' || again.cause === 'input_needed'
  }
  return isRefused ? { ...first, reread: true } : first
}
