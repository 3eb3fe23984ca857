import { OPERATIONS, PAID_OPERATIONS } from '@touchstone402/shared'
import { DAY } from '../domain/facts/times.ts'
import type { Page } from '../http/deps.ts'
import { POST_PATHS, type PostPath } from '../http/postPaths.ts'
import { answerJson } from './answerHtml.tsx'
import { contactUrl } from './contactUrl.ts'
import { formatUsd } from './format.ts'
import { type ListedOperation, listOperations } from './operations.ts'
import type { PageDeps } from './pageDeps.ts'

const HOUR_SECONDS = 3600
const SECURITY_TXT_DAYS = 180

/** Creates the documents for programs: llms.txt, the paid resources and, if there is a contact, security.txt. */
export function createMachineDocuments(deps: PageDeps): Page[] {
  const { clock, publicUrl } = deps
  const contact = contactUrl(deps)
  const text = (path: string, write: () => string): Page => ({
    path,
    handler: () => ({ type: 'text/plain; charset=utf-8', body: write(), maxAgeSeconds: HOUR_SECONDS }),
  })
  const resources = {
    version: 1,
    resources: PAID_OPERATIONS.map((id) => `${publicUrl}${OPERATIONS[id].path}`),
    openapi: `${publicUrl}/openapi.json`,
  }
  return [
    text('/llms.txt', () => writeLlmsTxt(deps)),
    { path: '/.well-known/x402', handler: () => answerJson(resources, { maxAgeSeconds: HOUR_SECONDS }) },
    ...(contact === undefined
      ? []
      : [text('/.well-known/security.txt', () => writeSecurityTxt(contact, publicUrl, clock.now()))]),
  ]
}

/** Source: llmstxt.org. */
function writeLlmsTxt({ publicUrl, prices = {} }: PageDeps): string {
  const describe = ({ path, query, summary, priceUsd }: ListedOperation) => {
    const names = Object.entries(query).map(([name, { required }]) => (required ? name : `[${name}]`))
    const parameters = names.length === 0 ? '' : ` (query: ${names.join(', ')})`
    const price = priceUsd === null ? '' : ` ${formatUsd(priceUsd)} per call.`
    return `- [GET ${path}](${publicUrl}${path})${parameters}: ${summary}${price}`
  }
  const operations = listOperations({ prices })
  return [
    '# Touchstone',
    '',
    '> Tells whether an x402 endpoint is safe to pay, before it is paid. Verdicts are measured, dated and signed.',
    '',
    `Before paying an endpoint, call ${publicUrl}${OPERATIONS.verify.path}?endpoint=<URL, percent-encoded>. Pay on \`safe\`, and only on the terms in \`terms\`. Do not pay on \`avoid\`. On \`caution\` and \`unknown\`, run the live check at ${OPERATIONS.trust.path} first. The npm package @touchstone402/guard does all of this inside fetch.`,
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
    ...Object.entries(POST_PATHS).map(describeForm(publicUrl)),
    '',
    '## More',
    '',
    `- Pages are HTML. Their JSON is at the same path with .json (${publicUrl}/services/HOST.json, ${publicUrl}/index.json), or by Accept: application/json`,
    `- [OpenAPI](${publicUrl}/openapi.json): every operation with its schemas`,
    `- [Methodology](${publicUrl}/methodology): how a verdict is reached`,
    `- [Keys](${publicUrl}/.well-known/jwks.json): public keys of signed decisions`,
    '',
  ].join('\n')
}

const describeForm =
  (publicUrl: string) =>
  ([path, { fields, summary }]: [string, PostPath]) => {
    const names = Object.entries(fields).map(([name, { required }]) => (required ? name : `[${name}]`))
    return `- [POST ${path}](${publicUrl}/docs#forms) (form or JSON: ${names.join(', ')}): ${summary}`
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
