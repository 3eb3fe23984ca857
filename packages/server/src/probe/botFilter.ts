import type { Answer } from './exchange.ts'

/** Headers by which Cloudflare, Vercel, AWS WAF and SiteGround mark their own answers. Source: their documentation. */
const OWN_ANSWERS = ['cf-mitigated', 'x-vercel-mitigated', 'x-amzn-waf-action', 'sg-captcha']
/** Statuses that sellers and bot filters send alike, so that a mark decides. */
const AMBIGUOUS = new Set([202, 406])
const MOD_SECURITY = /mod_?security/i

/** The status whose body may hold a mark: the default page of ModSecurity names it there. */
export const MARKED_STATUS = 406

/**
 * Returns whether a bot filter answered in place of the seller.
 * @param text decoded body, if it was read
 */
export function isBotFilter(
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  text: string | null,
): boolean {
  if (OWN_ANSWERS.some((name) => headers[name] !== undefined)) return true
  if (!AMBIGUOUS.has(status)) return false
  // Imperva adds `x-iinfo` to what it passes on as well, so alone it proves nothing.
  return (
    headers['x-iinfo'] !== undefined || [headers.server, text].some((mark) => MOD_SECURITY.test(mark ?? ''))
  )
}
