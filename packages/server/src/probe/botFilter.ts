import type { Answer } from './answer.ts'

/**
 * Headers by which Cloudflare, Vercel, AWS WAF, SiteGround and ngrok mark their own answers. Source: their documentation.
 */
const OWN_ANSWERS = [
  'cf-mitigated',
  'x-vercel-mitigated',
  'x-amzn-waf-action',
  'sg-captcha',
  'ngrok-error-code',
]
/** Statuses that sellers and bot filters send alike, so that a mark decides. */
const AMBIGUOUS = new Set([202, 406])
const MOD_SECURITY = /mod_?security/i
/** Statuses of the pages that filters show to clients without a browser. */
const PAGE_STATUSES = new Set([200, 403, 503])
const HTML = /^\s*(text\/html|application\/xhtml\+xml)\b/i
/**
 * Marks of the pages of Imperva, Anubis, ngrok and Cloudflare: the script or the element that does their work. Source:
 * docs.imperva.com, github.com/TecharoHQ/anubis, ngrok.com/docs/errors/err_ngrok_6024, developers.cloudflare.com.
 */
const PAGE_MARKS = [/_Incapsula_Resource\b/, /\bid=["']anubis_(challenge|version)["']/, /\bERR_NGROK_6024\b/]
/** Cloudflare adds this script to ordinary pages too, so it tells only with a status of refusal. */
const CLOUDFLARE = /\/cdn-cgi\/challenge-platform\//
/** Marks stand near the beginning; the rest of a page is not searched. */
const SEARCHED = 64 * 1024

/** Whether the body of an answer may show that a bot filter made it. */
export const mayBeFilter = ({ status, headers }: Pick<Answer, 'status' | 'headers'>): boolean =>
  status === 406 || isPage({ status, headers })

const isPage = ({ status, headers }: Pick<Answer, 'status' | 'headers'>) =>
  PAGE_STATUSES.has(status) && HTML.test(headers['content-type'] ?? '')

/**
 * Returns whether a bot filter answered in place of the seller.
 * @param text decoded body, if it was read
 */
export function isBotFilter(head: Pick<Answer, 'status' | 'headers'>, text: string | null): boolean {
  const { status, headers } = head
  if (OWN_ANSWERS.some((name) => headers[name] !== undefined)) return true
  const begin = text?.slice(0, SEARCHED) ?? ''
  if (isPage(head))
    return PAGE_MARKS.some((mark) => mark.test(begin)) || (status !== 200 && CLOUDFLARE.test(begin))
  if (!AMBIGUOUS.has(status)) return false
  // Imperva adds `x-iinfo` to what it passes on as well, so alone it proves nothing.
  return (
    headers['x-iinfo'] !== undefined || [headers.server, begin].some((mark) => MOD_SECURITY.test(mark ?? ''))
  )
}
