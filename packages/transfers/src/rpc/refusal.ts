import type { BlockRange } from '../types.ts'
import type { RpcFault } from './rpcReply.ts'

/**
 * Meaning of a refused `eth_getLogs`.
 *
 * - `blocks`: the range spans too many blocks.
 * - `results`: the range holds too many logs. `max` is their number, if the provider states it.
 * - `busy`: retry later. `down`: use another RPC. `behind`: it does not know the blocks yet.
 * - `refused`: anything else.
 */
export type Refusal = SizeRefusal | { readonly kind: 'busy' | 'down' | 'behind' | 'refused' }

/** A refusal that a smaller range avoids. */
export type SizeRefusal = {
  readonly kind: 'blocks' | 'results'
  readonly max: number | null
  readonly suggested: BlockRange | null
}

const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d+)(k\b)?`

const BUSY = /rate.?limit|too many requests|compute units|capacity|throttl|request limit|quota/i
const DOWN =
  /no backend|unhealthy|healthy|temporarily|internal (server )?error|bad gateway|upstream|overloaded/i
const BEHIND =
  /unknown block|header not found|block not found|beyond (current )?head|not yet available|future block|missing block/i

/** Messages that state the maximum number of blocks per query. */
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

/** Messages that state the maximum number of logs per reply. */
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

function numberOf(match: RegExpExecArray | null): number | null {
  const digits = match?.[1]?.replaceAll(',', '')
  if (digits === undefined) return null
  const value = Number(digits) * (match?.[2] === undefined ? 1 : 1000)
  return Number.isSafeInteger(value) && value > 0 ? value : null
}

function firstNumber(patterns: readonly RegExp[], text: string): number | null {
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

function readSuggestion(text: string): BlockRange | null {
  for (const pattern of SUGGESTED) {
    const [, first, last] = pattern.exec(text) ?? []
    if (first === undefined || last === undefined) continue
    const from = Number(first)
    const to = Number(last)
    if (Number.isSafeInteger(from) && Number.isSafeInteger(to)) return { from, to }
  }
  return null
}

/** Classifies a provider's refusal. Never throws; the message of a fault is at most 1,000 characters long. */
export function parseRefusal(fault: RpcFault): Refusal {
  const text = fault.message
  if (fault.status === 429 || fault.code === 429) return { kind: 'busy' }
  const suggested = readSuggestion(text)
  // The digits of a suggested range are not a cap.
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
