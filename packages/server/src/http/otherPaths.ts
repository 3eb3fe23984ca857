import { McpVerificationSchema, ProfileSchema, type QueryParameter, ScanSchema } from '@touchstone402/shared'
import type * as z from 'zod/mini'

/** A page, feed or document beside the operations. */
export type OtherPath = {
  readonly operationId: string
  readonly summary: string
  /** Media types of the 200; the Accept header chooses where there are several. */
  readonly types: readonly string[]
  /** Schema of the JSON. @default an object */
  readonly schema?: z.ZodMiniType
  /** Parameters of the query. @default none */
  readonly query?: Readonly<Record<string, QueryParameter>>
  /** Description and example of each named segment of the path. */
  readonly segments?: Readonly<Record<string, readonly [description: string, example: string]>>
}

const HTML = 'text/html'
const JSON_TYPE = 'application/json'
const RSS = 'application/rss+xml'
const TEXT = 'text/plain'
const PNG = 'image/png'

const host = { host: ['Host, with the port if it is not the default one.', 'api.example.com'] } as const

/** Query of `/mcp/verify`. */
export const MCP_VERIFY_QUERY = {
  package: { kind: 'package', required: true, description: 'Name of an npm package.' },
} as const

const card = (operationId: string, of: string, file: readonly [string, string]): OtherPath => ({
  operationId,
  summary: `Share card of ${of}: a picture of 1200 x 630 pixels.`,
  types: [PNG],
  segments: { file },
})

/** Everything that is served beside the operations and the tiles of the log, by path. */
export const OTHER_PATHS: Readonly<Record<string, OtherPath>> = {
  '/': {
    operationId: 'home',
    summary: 'Dashboard, or an index of the service for programs.',
    types: [HTML, JSON_TYPE],
  },
  '/services/{host}': {
    operationId: 'profile',
    summary: 'Trust profile of one host.',
    types: [HTML, JSON_TYPE],
    schema: ProfileSchema,
    segments: host,
  },
  '/services/{host}/feed.rss': {
    operationId: 'hostRss',
    summary: 'Incidents and changes of one host, as RSS.',
    types: [RSS],
    segments: host,
  },
  '/incidents': { operationId: 'incidentsPage', summary: 'Incidents, newest first.', types: [HTML] },
  '/incidents.rss': { operationId: 'incidentsRss', summary: 'Incidents as RSS.', types: [RSS] },
  '/changes': { operationId: 'changesPage', summary: 'Changes, newest first.', types: [HTML] },
  '/changes.rss': { operationId: 'changesRss', summary: 'Changes as RSS.', types: [RSS] },
  '/reports': { operationId: 'reportsPage', summary: 'Report of the ecosystem, with plots.', types: [HTML] },
  '/methodology': { operationId: 'methodology', summary: 'Specification of the score.', types: [HTML] },
  '/docs': { operationId: 'docs', summary: 'This interface as a page.', types: [HTML] },
  '/docs/schemas/{name}': {
    operationId: 'schemaPage',
    summary: 'One schema of this interface as a page.',
    types: [HTML],
    segments: { name: ['Name of the schema.', 'Verdict'] },
  },
  '/badge/{file}': {
    operationId: 'badge',
    summary: 'Badge with the verdict of a host: HOST.svg, or HOST.json for shields.io.',
    types: ['image/svg+xml', JSON_TYPE],
    segments: { file: ['The host, and .svg or .json.', 'api.example.com.json'] },
  },
  '/cards/services/{file}': card('hostCard', 'the verdict on a host', [
    'The host, and .png.',
    'api.example.com.png',
  ]),
  '/cards/incidents/{file}': card('incidentCard', 'an incident', ['Its id, and .png.', 'inc_1.png']),
  '/incidents/{id}': {
    operationId: 'incidentPage',
    summary:
      'One incident: both sides of a change, the test purchases that it cites, with links to the looks and the chain.',
    types: [HTML, JSON_TYPE],
    segments: { id: ['Id of the incident, as the feed gives it.', 'inc_1'] },
  },
  '/observations/{id}': {
    operationId: 'observation',
    summary:
      'One probe, from 24 hours on, or at once if a finding cites it; the parameter `endpoint` names its endpoint.',
    types: [HTML, JSON_TYPE],
    segments: { id: ['Id of the look, as findings give it.', 'look_1'] },
  },
  '/scans/{id}': {
    operationId: 'scan',
    summary:
      'A check that was started by POST /scans: its progress, then the terms, the challenge as it was received, and what to fix. Kept 90 days.',
    types: [HTML, JSON_TYPE],
    schema: ScanSchema,
    segments: { id: ['Random id of the check.', 'AAAAAAAAAAAAAAAAAAAAAA'] },
  },
  '/owners/{host}': {
    operationId: 'owner',
    summary:
      'For the owner of a known host: claim it by a file or DNS, check it, announce a receiver, dispute, get alerts. The JSON has the exact texts, and a secret for this caller.',
    types: [HTML, JSON_TYPE],
    segments: host,
  },
  '/mcp/verify': {
    operationId: 'mcpVerify',
    summary: 'Safety audit of one npm package as an MCP server, made when asked and kept a day.',
    types: [JSON_TYPE],
    schema: McpVerificationSchema,
    query: MCP_VERIFY_QUERY,
  },
  '/robots.txt': { operationId: 'robots', summary: 'Rules for crawlers.', types: [TEXT] },
  '/sitemap.xml': {
    operationId: 'sitemap',
    summary: 'Pages for search engines.',
    types: ['application/xml'],
  },
  '/llms.txt': { operationId: 'llms', summary: 'The service in short, for models.', types: [TEXT] },
  '/openapi.json': { operationId: 'openapi', summary: 'This document.', types: [JSON_TYPE] },
  '/.well-known/x402': {
    operationId: 'x402Resources',
    summary: 'Paid resources of the service.',
    types: [JSON_TYPE],
  },
  '/.well-known/jwks.json': {
    operationId: 'jwks',
    summary: 'Public keys of signed verdicts, as a JSON Web Key Set.',
    types: [JSON_TYPE],
  },
  '/.well-known/security.txt': {
    operationId: 'securityTxt',
    summary: 'Where to report a vulnerability (RFC 9116).',
    types: [TEXT],
  },
  '/healthz': { operationId: 'health', summary: 'Answers while the process is alive.', types: [JSON_TYPE] },
  '/readyz': {
    operationId: 'readiness',
    summary: 'Whether the service can answer; 503 if not.',
    types: [JSON_TYPE],
  },
}
