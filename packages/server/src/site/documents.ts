import { OPERATIONS, PAID_OPERATIONS } from '@touchstone402/shared'
import { DAY } from '../facts/times.ts'
import type { Page } from '../http/deps.ts'
import { DESCRIPTION } from '../http/openapi.ts'
import { FORMS } from '../http/paths.ts'
import { listHosts } from '../store/listHosts.ts'
import { describeTokens, tokenUrl } from '../tokens/describeToken.ts'
import { findImitations } from '../tokens/warnings.ts'
import { formatUsd } from './format.ts'
import { listOperations } from './operations.ts'
import type { PageDeps } from './pageDeps.ts'
import { ABOUT_PATH, LOG_PATH, profilePath, TOKENS_PATH } from './paths.ts'
import { escapeXml } from './rss.ts'
import { TOKEN_SAMPLES } from './tokens/answerSamples.ts'

const HOUR_SECONDS = 3600
const SECURITY_TXT_DAYS = 180
/** Pages of the sitemap besides the profiles. */
const PLACES = ['/', '/feed', '/reports', TOKENS_PATH, '/methodology', '/docs', LOG_PATH, ABOUT_PATH]
/** The limit of the sitemap protocol is 50,000 URLs. */
const MAX_HOSTS = 20_000

const PAID_PATHS = PAID_OPERATIONS.map((id) => OPERATIONS[id].path)

/** Writes the lines of a document. */
type Write = (deps: PageDeps) => readonly string[] | Promise<readonly string[]>

/** Creates the documents for programs: llms.txt, robots.txt, the sitemap, the paid resources and security.txt. */
export function createDocuments(deps: PageDeps): Page[] {
  const document = (path: string, write: Write, type = 'text/plain'): Page => ({
    path,
    handler: async () => ({
      type: `${type}; charset=utf-8`,
      body: `${(await write(deps)).join('\n')}\n`,
      maxAgeSeconds: HOUR_SECONDS,
    }),
  })
  return [
    document('/llms.txt', writeLlmsTxt),
    document('/robots.txt', writeRobotsTxt),
    document('/sitemap.xml', writeSitemap, 'application/xml'),
    document('/.well-known/x402', writeResources, 'application/json'),
    document('/.well-known/security.txt', writeSecurityTxt),
  ]
}

/** Crawlers may read every page, but not what costs or repeats. */
function writeRobotsTxt({ config }: PageDeps) {
  const rules = [...PAID_PATHS, '/*?'].map((path) => `Disallow: ${path}`)
  return ['User-agent: *', ...rules, '', `Sitemap: ${config.publicUrl}/sitemap.xml`]
}

async function writeSitemap(deps: PageDeps) {
  const { store, clock, config } = deps
  const { tokens } = await describeTokens(deps, clock.now())
  const paths: string[] = [
    ...PLACES,
    ...tokens
      .filter(({ date, warnings }) => date !== null && findImitations(warnings).length === 0)
      .map(({ token }) => tokenUrl('', token)),
  ]
  for await (const host of listHosts(store, { order: 'names', limit: MAX_HOSTS }, clock.now()))
    paths.push(profilePath(host))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...paths.map((path) => `<url><loc>${escapeXml(config.publicUrl + path)}</loc></url>`),
    '</urlset>',
  ]
}

function writeResources({ config: { publicUrl } }: PageDeps) {
  const resources = PAID_PATHS.map((path) => publicUrl + path)
  return [JSON.stringify({ version: 1, resources, openapi: `${publicUrl}/openapi.json` })]
}

const listNames = (fields: Readonly<Record<string, { readonly required?: boolean }>>) =>
  Object.entries(fields)
    .map(([name, { required }]) => (required ? name : `[${name}]`))
    .join(', ')

/** Source: llmstxt.org. */
function writeLlmsTxt(deps: PageDeps) {
  const { publicUrl } = deps.config
  const operations = listOperations(deps).map(({ path, query, summary, priceUsd }) => {
    const price = priceUsd === null ? 'Free.' : `${formatUsd(priceUsd)} per call.`
    return `- [GET ${path}](${publicUrl}${path}) (query: ${listNames(query) || 'none'}): ${summary} ${price}`
  })
  const forms = Object.entries(FORMS).map(
    ([path, { fields, summary }]) =>
      `- [POST ${path}](${publicUrl}/docs#forms) (form or JSON: ${listNames(fields)}): ${summary}`,
  )
  return [
    '# Touchstone',
    '',
    `> ${DESCRIPTION} Verdicts are measured, dated and signed.`,
    '',
    `Before paying an endpoint, call ${publicUrl}${OPERATIONS.verify.path}?endpoint=<URL, percent-encoded>. Pay on \`safe\`, and only on the terms in \`terms\`. Do not pay on \`avoid\`. On \`caution\` and \`unknown\`, run the live check at ${OPERATIONS.trust.path} first. The guard, @touchstone402/guard, does all of this inside fetch.`,
    '',
    '## Operations, free or paid per call through x402, in USDC on Base',
    '',
    ...operations,
    '',
    '## Token answers, an example each, with one item of each list',
    '',
    `Each takes the address of an ERC-20 token on Base and a window. The last finished UTC day of some tokens is free: ${publicUrl}${TOKENS_PATH}`,
    '',
    ...TOKEN_SAMPLES.map(({ path, json }) => `- ${path}: \`${json}\``),
    '',
    '## Forms, free of charge',
    '',
    ...forms,
    '',
    '## More',
    '',
    `- Pages are HTML. Their JSON is at the same path with .json (${publicUrl}/services/HOST.json, ${publicUrl}/index.json), or by Accept: application/json`,
    `- [Guide](${publicUrl}/docs): how to call and how to pay`,
    `- [OpenAPI](${publicUrl}/openapi.json): every operation with its schemas`,
    `- [Methodology](${publicUrl}/methodology): how a verdict is reached`,
    `- [Keys](${publicUrl}/.well-known/jwks.json): public keys of signed decisions`,
  ]
}

/** Source: RFC 9116. */
function writeSecurityTxt({ config: { operator, publicUrl }, clock }: PageDeps) {
  // Whole days, so the document changes once a day.
  const expires = Math.floor(clock.now() / DAY) * DAY + SECURITY_TXT_DAYS * DAY
  return [
    `Contact: ${operator.contact}`,
    `Expires: ${new Date(expires).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
  ]
}
