import type { BlockRange } from '../types.ts'
import type { RpcFault } from './rpcReply.ts'

/**
 * Meaning of a refused `eth_getLogs`.
 *
 * - `blocks`: the range spans too many blocks.
 * - `results`: the range holds too many logs. `max` is their number, if the provider states it.
 * - `unclear`: the range took too long, or the words are not understood: a smaller range may work.
 * - `down`: the RPC is faulty or, if it answers another request, the range is too large.
 * - `busy`: retry later. `behind`: it does not know the blocks yet. `denied`: no range would work.
 */
export type Refusal = SizeRefusal | { readonly kind: 'busy' | 'down' | 'behind' | 'denied' }

/** A refusal that a smaller range avoids. */
export type SizeRefusal = {
  readonly kind: 'blocks' | 'results' | 'unclear'
  readonly max: number | null
  readonly suggested: BlockRange | null
}

const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d+)(k\b)?`

const BUSY =
  /rate.?limit|too many requests|requests? per|compute units|capacity|throttl|requests? (count|limit)|quota|credits|busy/i
const DENIED =
  /unauthori[sz]ed|forbidden|authenticat|api.?key|access (token|denied)|personal token|payment required|subscription|whitelist|not allowed|method (is )?not|(method|eth_getlogs) (\S+ )?(is )?(not (available|found|supported)|disabled|does not exist)/i
const TIMEOUT = /time.?out|timed out|took too long|deadline|duration|cancell?ed|aborted/i
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
  new RegExp(String.raw`range:? \d+ exceeds (?:the )?limit(?: of)?:? ?${NUMBER}`, 'i'),
  new RegExp(`blocks? distance:? ?${NUMBER}`, 'i'),
  new RegExp(`limited to 0 ?- ?${NUMBER} blocks?`, 'i'),
  new RegExp(String.raw`for your plan \(\d+ > ${NUMBER}\)`, 'i'),
  new RegExp(
    String.raw`(?:requested blocks is|blocks from \d+ to \d+, maximum is set to|\(maximum) ${NUMBER}`,
    'i',
  ),
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
  /response size|response (is )?too (big|large)|too many (results|logs)|more than [\d,]+ (results|logs)|max(imum)? results|exceeds? (max )?results|result (set|window)|query exceeds|logs matched|payload too large|body (is )?too (big|large)/i

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

/** HTTP statuses of a request that took too long, at the provider or at a proxy in front of it. */
const TIMEOUT_STATUSES: ReadonlySet<number> = new Set([408, 504, 524])
const DENIED_STATUSES: ReadonlySet<number> = new Set([401, 402, 403])
/** JSON-RPC code of a method that is not served. */
const NO_METHOD = -32601

/** Classifies a provider's refusal. Never throws; the message of a fault is at most 1,000 characters long. */
export function parseRefusal(fault: RpcFault): Refusal {
  const { status, code, message: text } = fault
  if (status === 429 || code === 429) return { kind: 'busy' }
  if (DENIED_STATUSES.has(status) || code === NO_METHOD) return { kind: 'denied' }
  const suggested = readSuggestion(text)
  const unclear = { kind: 'unclear', max: null, suggested: null } as const
  // The digits of a suggested range are not a cap.
  const words = SUGGESTED.reduce((left, pattern) => left.replace(pattern, ''), text)
  const maxResults = firstNumber(RESULT_CAPS, words)
  if (maxResults !== null) return { kind: 'results', max: maxResults, suggested }
  const maxBlocks = firstNumber(BLOCK_CAPS, words)
  if (maxBlocks !== null) return { kind: 'blocks', max: maxBlocks, suggested }
  if (BEHIND.test(words)) return { kind: 'behind' }
  if (TIMEOUT_STATUSES.has(status) || TIMEOUT.test(words)) return unclear
  if (MANY_RESULTS.test(words)) return { kind: 'results', max: null, suggested }
  if (MANY_BLOCKS.test(words)) return { kind: 'blocks', max: null, suggested }
  if (suggested !== null) return { kind: 'results', max: null, suggested }
  if (BUSY.test(words)) return { kind: 'busy' }
  if (DENIED.test(words)) return { kind: 'denied' }
  if (status === 413) return { kind: 'results', max: null, suggested: null }
  // Codes for "limit exceeded" and "internal error", of which each provider makes its own.
  if (status >= 500 || code === -32005 || code === -32603 || DOWN.test(words)) return { kind: 'down' }
  return unclear
}
