import { OPERATIONS, type Operation, PAID_OPERATIONS, type PaidOperationId } from '@touchstone402/shared'
import { DAY } from '../domain/facts/times.ts'
import type { Page } from '../http/deps.ts'
import { answerJson } from './answerHtml.tsx'
import { contactUrl } from './contactUrl.ts'
import { formatUsd } from './format.ts'
import type { PageDeps } from './pageDeps.ts'

const HOUR_SECONDS = 3600
const SECURITY_TXT_DAYS = 180

/** Documents for machines that look around: llms.txt, the paid resources, and whom to tell of a weakness. */
export function createMachineDocuments(deps: PageDeps): Page[] {
  const { clock, publicUrl } = deps
  const contact = contactUrl(deps)
  const text = (body: string) => ({
    type: 'text/plain; charset=utf-8',
    body,
    maxAgeSeconds: HOUR_SECONDS,
  })
  const documents: Page[] = [
    { path: '/llms.txt', handler: () => text(writeLlmsTxt(deps)) },
    {
      path: '/.well-known/x402',
      handler: () => ({ ...answerJson(describeResources(deps)), maxAgeSeconds: HOUR_SECONDS }),
    },
  ]
  if (contact === undefined) return documents
  return [
    ...documents,
    {
      path: '/.well-known/security.txt',
      handler: () => text(writeSecurityTxt(contact, publicUrl, clock.now())),
    },
  ]
}

/** Source: llmstxt.org. */
function writeLlmsTxt({ publicUrl, prices = {} }: PageDeps): string {
  const line = ([id, operation]: [string, Operation]) => {
    const parameters = Object.entries(operation.query).map(([name, { required }]) =>
      required ? name : `[${name}]`,
    )
    const query = parameters.length === 0 ? '' : ` (query: ${parameters.join(', ')})`
    const price =
      operation.priceUsd === null
        ? ''
        : ` ${formatUsd(Number(prices[id as PaidOperationId] ?? operation.priceUsd))} a call.`
    return `- [GET ${operation.path}](${publicUrl}${operation.path})${query}: ${operation.summary}${price}`
  }
  const entries = Object.entries<Operation>(OPERATIONS)
  const isFree = ([, { priceUsd }]: [string, Operation]) => priceUsd === null
  return [
    '# Touchstone',
    '',
    '> Tells whether an x402 endpoint is safe to pay, before it is paid. Verdicts are measured, dated and signed.',
    '',
    `Before paying an endpoint ask ${publicUrl}${OPERATIONS.verify.path}?endpoint=<URL, percent-encoded>. Pay on \`safe\` and only on the terms in \`terms\`; do not pay on \`avoid\`; on \`caution\` and \`unknown\` make the live check at ${OPERATIONS.trust.path} first. The npm package @touchstone402/guard does all of this inside fetch.`,
    '',
    '## Free',
    '',
    ...entries.filter(isFree).map(line),
    '',
    '## Paid a call through x402, in USDC on Base',
    '',
    ...entries.filter((entry) => !isFree(entry)).map(line),
    '',
    '## More',
    '',
    `- [OpenAPI](${publicUrl}/openapi.json): every operation with its schemas`,
    `- [Methodology](${publicUrl}/methodology): how a verdict comes about`,
    `- [Keys](${publicUrl}/.well-known/jwks.json): what signed decisions are checked with`,
    '',
  ].join('\n')
}

/** What is for sale here, in the form that directories of x402 endpoints read. */
function describeResources({ publicUrl }: PageDeps) {
  return {
    version: 1,
    resources: PAID_OPERATIONS.map((id) => `${publicUrl}${OPERATIONS[id].path}`),
    openapi: `${publicUrl}/openapi.json`,
  }
}

/** Source: RFC 9116. */
function writeSecurityTxt(contact: string, publicUrl: string, now: number): string {
  // Whole days, so that the document stays the same for a day.
  const expires = Math.floor(now / DAY) * DAY + SECURITY_TXT_DAYS * DAY
  return [
    `Contact: ${contact}`,
    `Expires: ${new Date(expires).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    '',
  ].join('\n')
}
