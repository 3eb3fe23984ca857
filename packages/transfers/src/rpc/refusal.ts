import type { BlockRange } from '../types.ts'
import type { RpcFault } from './rpcEndpoint.ts'

/**
 * What a refused `eth_getLogs` means.
 *
 * - `blocks`: the range has too many blocks, whatever they hold.
 * - `results`: the range holds too much; fewer blocks would do. `max` counts logs where the provider says so.
 * - `busy`: ask again later. `down`: ask another RPC. `behind`: it does not know the blocks yet.
 * - `refused`: anything else.
 */
export type Refusal =
  | {
      readonly kind: 'blocks' | 'results'
      readonly max: number | null
      readonly suggested: BlockRange | null
    }
  | { readonly kind: 'busy' | 'down' | 'behind' | 'refused' }

const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d+)(k\b)?`

const BUSY = /rate.?limit|too many requests|compute units|capacity|throttl|request limit|quota/i
const DOWN =
  /no backend|unhealthy|healthy|temporarily|internal (server )?error|bad gateway|upstream|overloaded/i
const BEHIND =
  /unknown block|header not found|block not found|beyond (current )?head|not yet available|future block|missing block/i

/** Replies that name the most blocks one query may span. */
const BLOCK_CAPS = [
  new RegExp(`up to an? ${NUMBER} blocks? range`, 'i'),
  new RegExp(
    `(?:limited to|limit of|maximum of|max of|at most|up to|only|than|max(?:imum)?(?: is)?:?) an? ?${NUMBER}[ -](?:blocks?[ -])?range`,
    'i',
  ),
  new RegExp(
    String.raw`(?:at most|up to|limited to|limit(?: of)?|maximum(?: is| of)?|max(?: is| of)?|over|than):? ${NUMBER} blocks?\b`,
    'i',
  ),
  new RegExp(`max(?:imum)?(?: allowed)? (?:block )?range(?: limit| size| is| of)*:? ?${NUMBER}`, 'i'),
  new RegExp(String.raw`range[^.]*\bmax(?:imum)?(?: is|:)? ?${NUMBER}`, 'i'),
  new RegExp(String.raw`range(?: limit)?(?: exceeded)?[^.\d]*(?:limit|allowed)[^.\d]*${NUMBER}`, 'i'),
]
const MANY_BLOCKS =
  /block range|range (is )?(too|limit|exceed)|too (large|wide|many|big)[^.]*(range|blocks)|range too|blocks? (limit|cap)|exceeds? (the )?range|max(imum)? (allowed )?range/i

/** Replies that name the most logs one answer may hold. */
const RESULT_CAPS = [
  new RegExp(
    `(?:more than|max(?:imum)?(?: of)?|exceeds? (?:the )?(?:max(?:imum)? )?(?:limit(?: of)?|results)?:?|limit(?: of)?|at most|cap(?: of)?) ?${NUMBER} (?:results|logs|entries)`,
    'i',
  ),
  new RegExp(String.raw`max(?:imum)? (?:results|logs)[^\d]{0,12}${NUMBER}`, 'i'),
  new RegExp(`logs matched by query exceeds limit of ${NUMBER}`, 'i'),
]
const MANY_RESULTS =
  /response size|response (is )?too (big|large)|too many (results|logs)|more than [\d,]+ (results|logs)|max(imum)? results|exceeds? (max )?results|result (set|window)|timeout|timed out|took too long|query exceeds|logs matched|payload too large|body (is )?too (big|large)/i

const numberOf = (match: RegExpExecArray | null): number | null => {
  const digits = match?.[1]?.replaceAll(',', '')
  if (digits === undefined) return null
  const value = Number(digits) * (match?.[2] === undefined ? 1 : 1000)
  return Number.isSafeInteger(value) && value > 0 ? value : null
}

const firstNumber = (patterns: readonly RegExp[], text: string): number | null => {
  for (const pattern of patterns) {
    const value = numberOf(pattern.exec(text))
    if (value !== null) return value
  }
  return null
}

const SUGGESTED = [
  /\[\s*(0x[0-9a-f]+|\d+)\s*,\s*(0x[0-9a-f]+|\d+)\s*\]/i,
  /range:?\s*(0x[0-9a-f]+|\d+)\s*(?:-|to|\.\.)\s*(0x[0-9a-f]+|\d+)/i,
]

const readSuggestion = (text: string): BlockRange | null => {
  for (const pattern of SUGGESTED) {
    const [, first, last] = pattern.exec(text) ?? []
    if (first === undefined || last === undefined) continue
    const from = Number(first)
    const to = Number(last)
    if (Number.isSafeInteger(from) && Number.isSafeInteger(to)) return { from, to }
  }
  return null
}

/** Reads a provider's refusal. Pure; never throws on hostile text (faults are cut to 1,000 characters before). */
export const parseRefusal = (fault: RpcFault): Refusal => {
  const text = fault.message
  if (fault.status === 429 || fault.code === 429) return { kind: 'busy' }
  const suggested = readSuggestion(text)
  // A suggested range holds digits that are no cap.
  const words = SUGGESTED.reduce((left, pattern) => left.replace(pattern, ''), text)
  const maxResults = firstNumber(RESULT_CAPS, words)
  if (maxResults !== null) return { kind: 'results', max: maxResults, suggested }
  const maxBlocks = firstNumber(BLOCK_CAPS, words)
  if (maxBlocks !== null) return { kind: 'blocks', max: maxBlocks, suggested }
  if (BEHIND.test(words)) return { kind: 'behind' }
  if (MANY_RESULTS.test(words)) return { kind: 'results', max: null, suggested }
  if (MANY_BLOCKS.test(words)) return { kind: 'blocks', max: null, suggested }
  if (suggested !== null) return { kind: 'results', max: null, suggested }
  if (BUSY.test(words)) return { kind: 'busy' }
  if (fault.status === 413) return { kind: 'results', max: null, suggested: null }
  if (fault.code === -32005) return { kind: 'busy' }
  if (fault.status >= 500 || fault.code === -32603 || DOWN.test(words)) return { kind: 'down' }
  return { kind: 'refused' }
}
