import { OPERATIONS, PAID_OPERATIONS } from '@touchstone402/shared'
import { DAY } from '../domain/facts/times.ts'
import type { Page } from '../http/deps.ts'
import { FORMS, type FormPath } from '../http/paths.ts'
import { listHosts } from '../readModel/listHosts.ts'
import { answerJson } from './answerHtml.tsx'
import { formatUsd } from './format.ts'
import { type ListedOperation, listOperations } from './operations.ts'
import type { PageDeps } from './pageDeps.ts'
import { ABOUT_PATH, LOG_PATH, profilePath } from './paths.ts'
import { escapeXml } from './rss.ts'

const HOUR_SECONDS = 3600
const SECURITY_TXT_DAYS = 180
/** Pages of the sitemap besides the profiles. */
const PLACES = ['/', '/feed', '/reports', '/methodology', '/docs', LOG_PATH, ABOUT_PATH]
/** The limit of the sitemap protocol is 50,000 URLs. */
const MAX_HOSTS = 20_000

/**
 * Creates the documents for programs: llms.txt, robots.txt, the sitemap, the paid resources and security.txt.
 */
export function createDocuments(deps: PageDeps): Page[] {
  const { clock, publicUrl, operator } = deps
  const document = (path: string, write: () => string | Promise<string>, type = 'text/plain'): Page => ({
    path,
    handler: async () => ({
      type: `${type}; charset=utf-8`,
      body: await write(),
      maxAgeSeconds: HOUR_SECONDS,
    }),
  })
  const resources = {
    version: 1,
    resources: PAID_OPERATIONS.map((id) => `${publicUrl}${OPERATIONS[id].path}`),
    openapi: `${publicUrl}/openapi.json`,
  }
  return [
    document('/llms.txt', () => writeLlmsTxt(deps)),
    document('/robots.txt', () => writeRobotsTxt(publicUrl)),
    document('/sitemap.xml', () => writeSitemap(deps), 'application/xml'),
    { path: '/.well-known/x402', handler: () => answerJson(resources, { maxAgeSeconds: HOUR_SECONDS }) },
    document('/.well-known/security.txt', () => writeSecurityTxt(operator.contact, publicUrl, clock.now())),
  ]
}

/** Crawlers may read every page, but not what costs or repeats. */
function writeRobotsTxt(publicUrl: string): string {
  const paid = [...new Set(PAID_OPERATIONS.map((id) => OPERATIONS[id].path))]
  const rules = [...paid, '/*?'].map((path) => `Disallow: ${path}`)
  return ['User-agent: *', ...rules, '', `Sitemap: ${publicUrl}/sitemap.xml`, ''].join('\n')
}

async function writeSitemap({ store, clock, publicUrl }: PageDeps): Promise<string> {
  const paths = [...PLACES]
  for await (const host of listHosts(store, { order: 'names', limit: MAX_HOSTS }, clock.now()))
    paths.push(profilePath(host))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...paths.map((path) => `<url><loc>${escapeXml(publicUrl + path)}</loc></url>`),
    '</urlset>',
    '',
  ].join('\n')
}

const listNames = (fields: Readonly<Record<string, { readonly required?: boolean }>>) =>
  Object.entries(fields).map(([name, { required }]) => (required ? name : `[${name}]`))

/** Source: llmstxt.org. */
function writeLlmsTxt({ publicUrl, prices = {} }: PageDeps): string {
  const describe = ({ path, query, summary, priceUsd }: ListedOperation) => {
    const names = listNames(query)
    const parameters = names.length === 0 ? '' : ` (query: ${names.join(', ')})`
    const price = priceUsd === null ? '' : ` ${formatUsd(priceUsd)} per call.`
    return `- [GET ${path}](${publicUrl}${path})${parameters}: ${summary}${price}`
  }
  const describeForm = ([path, { fields, summary }]: [string, FormPath]) =>
    `- [POST ${path}](${publicUrl}/docs#forms) (form or JSON: ${listNames(fields).join(', ')}): ${summary}`
  const operations = listOperations({ prices })
  return [
    '# Touchstone',
    '',
    '> Tells whether an x402 endpoint is safe to pay, before it is paid. Verdicts are measured, dated and signed.',
    '',
    `Before paying an endpoint, call ${publicUrl}${OPERATIONS.verify.path}?endpoint=<URL, percent-encoded>. Pay on \`safe\`, and only on the terms in \`terms\`. Do not pay on \`avoid\`. On \`caution\` and \`unknown\`, run the live check at ${OPERATIONS.trust.path} first. The guard, @touchstone402/guard, does all of this inside fetch.`,
    '',
    '## Free',
    '',
    ...operations.filter(({ priceUsd }) => priceUsd === null).map(describe),
    '',
    '## Paid per call through x402, in USDC on Base',
    '',
    ...operations.filter(({ priceUsd }) => priceUsd !== null).map(describe),
    '',
    '## Forms, free of charge',
    '',
    ...Object.entries(FORMS).map(describeForm),
    '',
    '## More',
    '',
    `- Pages are HTML. Their JSON is at the same path with .json (${publicUrl}/services/HOST.json, ${publicUrl}/index.json), or by Accept: application/json`,
    `- [Guide](${publicUrl}/docs): how to call and how to pay`,
    `- [OpenAPI](${publicUrl}/openapi.json): every operation with its schemas`,
    `- [Methodology](${publicUrl}/methodology): how a verdict is reached`,
    `- [Keys](${publicUrl}/.well-known/jwks.json): public keys of signed decisions`,
    '',
  ].join('\n')
}

/** Source: RFC 9116. */
function writeSecurityTxt(contact: string, publicUrl: string, now: number): string {
  // Whole days, so the document changes once a day.
  const expires = Math.floor(now / DAY) * DAY + SECURITY_TXT_DAYS * DAY
  return [
    `Contact: ${contact}`,
    `Expires: ${new Date(expires).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    '',
  ].join('\n')
}
