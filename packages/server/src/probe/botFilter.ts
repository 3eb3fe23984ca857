import type { Answer } from './answer.ts'
import { isFilterPage } from './filterPages.ts'

type Head = Pick<Answer, 'status' | 'headers'>

/** Headers by which Cloudflare, Vercel, AWS WAF and SiteGround mark their own answers. Source: their documentation. */
const OWN_ANSWERS = ['cf-mitigated', 'x-vercel-mitigated', 'x-amzn-waf-action', 'sg-captcha']
/** Of ngrok's codes only this one stands for its interstitial page; most others stand for a tunnel that is down. */
const NGROK_PAGE = 'ERR_NGROK_6024'
/** Statuses that sellers and bot filters send alike, so that a mark decides. */
const AMBIGUOUS = new Set([202, 406])
const MOD_SECURITY = /mod_?security/i
/** Statuses of the pages that filters show to clients without a browser. */
const PAGE_STATUSES = new Set([200, 202, 403, 503])
const HTML = /^\s*(text\/html|application\/xhtml\+xml)\b/i
/** Marks stand near the beginning; the rest of a page is not searched. */
const SEARCHED = 64 * 1024

/** Whether the body of an answer may show that a bot filter made it. */
export const mayBeFilter = (head: Head): boolean => head.status === 406 || isPage(head)

const isPage = ({ status, headers }: Head) =>
  PAGE_STATUSES.has(status) && HTML.test(headers['content-type'] ?? '')

/**
 * Returns whether a bot filter answered in place of the seller. A seller may imitate one, but gains little: its endpoint
 * is Caution after three such probes and unknown after two days, as for every host that refuses the prober.
 * @param text decoded body, if it was read
 */
export function isBotFilter(head: Head, text: string | null): boolean {
  const { status, headers } = head
  if (OWN_ANSWERS.some((name) => headers[name] !== undefined)) return true
  if (headers['ngrok-error-code'] === NGROK_PAGE) return true
  const begin = text?.slice(0, SEARCHED) ?? ''
  if (isPage(head) && isFilterPage(begin)) return true
  if (!AMBIGUOUS.has(status)) return false
  // Imperva adds `x-iinfo` to what it passes on as well, so alone it proves nothing.
  return (
    headers['x-iinfo'] !== undefined || [headers.server, begin].some((mark) => MOD_SECURITY.test(mark ?? ''))
  )
}
