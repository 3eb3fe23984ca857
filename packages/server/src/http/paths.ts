import {
  DisputeSchema,
  HostClaimSchema,
  IncidentEvidenceSchema,
  LogEntrySchema,
  McpVerificationSchema,
  OwnerSchema,
  ProfileSchema,
  PublishedLookSchema,
  type QueryParameter,
  RemovedWebhookSchema,
  RotationSchema,
  ScanSchema,
  WebhookSchema,
} from '@touchstone402/shared'
import type * as z from 'zod/mini'

/** A named segment of a path. */
type Segment = readonly [description: string, example: string, pattern?: string]

/** A page, feed, document or file that a GET reads. */
export type ReadPath = {
  readonly operationId: string
  readonly summary: string
  /** Media types of the 200; the Accept header chooses where there are several. */
  readonly types: readonly string[]
  /** Schema of the JSON. @default an object */
  readonly schema?: z.ZodMiniType
  /** Parameters of the query. @default none */
  readonly query?: Readonly<Record<string, QueryParameter>>
  /** Named segments of the path. @default none */
  readonly segments?: Readonly<Record<string, Segment>>
  /** What a success is. @default it is plain */
  readonly success?: string
  /** Meaning and media type of a 404, where it is no problem document. */
  readonly missing?: readonly [description: string, type: string]
}

/** A field of a form. */
type FormField = { readonly description: string; readonly example: string; readonly required?: true }

/** What a POST of a form or a JSON object takes and answers. */
export type FormPath = Pick<ReadPath, 'operationId' | 'summary' | 'segments'> & {
  readonly fields: Readonly<Record<string, FormField>>
  /** Meaning of each success of a program, by status. All have the schema and the example. */
  readonly answers: Readonly<Record<number, string>>
  readonly schema: z.ZodMiniType
  readonly example: object
  /** Where a 303 leads a browser. @default it gets a page */
  readonly seeOther?: string
  /** What it asks for must be known, else 404. @default false */
  readonly isOfKnown?: true
}

const HTML = 'text/html'
const JSON_TYPE = 'application/json'
const RSS = 'application/rss+xml'
const TEXT = 'text/plain'
const PNG = 'image/png'
const BYTES = 'application/octet-stream'
const LINES = 'application/x-ndjson'

const ORIGIN = 'https://trust.example'
const HOST = 'api.example.com'
const ENDPOINT = `https://${HOST}/weather`
const AT = '2026-01-31T12:00:00.000Z'
const SECRET = 'A'.repeat(43)
const HOOK = 'https://hooks.example.com/in'
const host = { host: ['Host, with the port if it is not the default one.', HOST] } as const

/** Query of `/mcp/verify`. */
export const MCP_VERIFY_QUERY = {
  package: { kind: 'package', required: true, description: 'Name of an npm package.' },
} as const

const card = (operationId: string, of: string, file: readonly [string, string]): ReadPath => ({
  operationId,
  summary: `Share card of ${of}: a picture of 1200 x 630 pixels.`,
  types: [PNG],
  segments: { file },
})

const NOT_COVERED = 'The published checkpoint does not cover it.'
const place = {
  place: [
    'Index and, of a partial tile, width, as C2SP tlog-tiles writes them: `x001/234.p/5` is tile 1,234 with 5 entries. Its slashes are not escaped.',
    '000.p/5',
    '^(x[0-9]{3}/){0,4}[0-9]{3}(\\.p/[1-9][0-9]{0,2})?$',
  ],
} as const
const dayOfHost = { date: ['Day in UTC.', '2026-01-31'], ...host } as const

/** Files of the map and the log by path. Source: docs/transparency.md and C2SP tlog-tiles. */
export const FILES: Readonly<Record<string, ReadPath>> = {
  '/map/latest': {
    operationId: 'mapHeader',
    summary: 'Signed header of the newest map of all verdicts, a C2SP signed note.',
    success: 'The header. Its hash is that of the body of its version.',
    types: [TEXT],
  },
  '/map/{name}': {
    operationId: 'mapFile',
    summary: 'Body of a version of the map, or the difference between two. Never changes.',
    segments: {
      name: [
        'A version such as `12`, or two such as `8-12`, the second one the newest.',
        '8-12',
        '^[1-9][0-9]{0,14}(-[1-9][0-9]{0,14})?$',
      ],
    },
    success: 'The body or the difference. The header of the version tells its length and hash.',
    types: [BYTES],
  },
  '/log/checkpoint': {
    operationId: 'logCheckpoint',
    summary: 'Newest checkpoint of the log, signed by it and by its witnesses.',
    success: 'A C2SP tlog-checkpoint.',
    types: [TEXT],
    missing: ['The log has no checkpoint yet.', TEXT],
  },
  '/log/tile/{level}/{place}': {
    operationId: 'logTile',
    summary: 'Hashes of the tree of the log, or with the level `entries` its entries, up to 256 in a tile.',
    segments: {
      level: ['Level of the tile from 0 to 63, or `entries`.', '0', '^(entries|[0-9]|[1-5][0-9]|6[0-3])$'],
      ...place,
    },
    success: 'SHA-256 hashes one after the other, or entries, each after its length in two bytes.',
    types: [BYTES],
    missing: [NOT_COVERED, TEXT],
  },
  '/log/openings/{place}': {
    operationId: 'logOpenings',
    summary: 'Openings of up to 256 log entries: what they name, with the salt of the commitment.',
    segments: place,
    success: 'One line an entry, empty where it names nobody or the opening was deleted.',
    types: [TEXT],
    missing: [NOT_COVERED, TEXT],
  },
  '/log/leaves/{index}': {
    operationId: 'logLeaf',
    summary: 'One log entry with its opening and the proof that the log holds it.',
    segments: {
      index: ['Place of the entry, such as `logIndex` of a verdict.', '12', '^(0|[1-9][0-9]{0,14})$'],
    },
    success: 'The entry.',
    types: [JSON_TYPE],
    schema: LogEntrySchema,
  },
  '/log/days/{date}/{host}': {
    operationId: 'logDay',
    summary: 'Exact probes of a host on one day, from 24 hours after its end on, while they are kept.',
    segments: dayOfHost,
    success:
      'One line of JSON a probe, with all that the score reads. The SHA-256 of the body is that of the log entry of the day.',
    types: [LINES],
    missing: ['There are no such probes, or it is too early.', LINES],
  },
  '/log/inputs/{date}/{host}': {
    operationId: 'logInputs',
    summary: 'What judgements of a host read beside its probes on one day, from 24 hours after its end on.',
    segments: dayOfHost,
    success: 'One line of JSON a fact. The SHA-256 of the body is `inputs` of the log entry of the day.',
    types: [LINES],
    missing: ['There are no such facts, or it is too early.', LINES],
  },
}

/** Pages, feeds and documents beside the operations, by path. */
export const PAGES: Readonly<Record<string, ReadPath>> = {
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
  '/feed': { operationId: 'feed', summary: 'Incidents and changes, newest first.', types: [HTML] },
  '/incidents.rss': { operationId: 'incidentsRss', summary: 'Incidents as RSS.', types: [RSS] },
  '/changes.rss': { operationId: 'changesRss', summary: 'Changes as RSS.', types: [RSS] },
  '/reports': { operationId: 'reportsPage', summary: 'Report of the ecosystem, with plots.', types: [HTML] },
  '/methodology': { operationId: 'methodology', summary: 'Specification of the score.', types: [HTML] },
  '/about': {
    operationId: 'about',
    summary: 'Who runs this instance, how it is paid for, and what a verdict cannot tell.',
    types: [HTML],
  },
  '/docs': { operationId: 'docs', summary: 'Guide to this interface.', types: [HTML] },
  '/docs/reference': {
    operationId: 'reference',
    summary: 'This document as a page, drawn by a script.',
    types: [HTML],
  },
  '/log': {
    operationId: 'log',
    summary: 'Newest checkpoint, size and witnesses of the log.',
    types: [HTML, JSON_TYPE],
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
      'One incident: who was asked what and when, both answers, the test purchases that it cites, its history, and a recipe that reproduces it.',
    types: [HTML, JSON_TYPE],
    schema: IncidentEvidenceSchema,
    segments: { id: ['Id of the incident, as the feed gives it.', 'inc_1'] },
  },
  '/observations/{id}': {
    operationId: 'observation',
    summary:
      'One probe as it was recorded, from 24 hours on, or at once if a finding cites it; the parameter `endpoint` names its endpoint.',
    types: [HTML, JSON_TYPE],
    schema: PublishedLookSchema,
    segments: { id: ['Id of the probe, as findings give it.', 'obs_1'] },
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
    schema: OwnerSchema,
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

/** Forms by path. Each page with a `post` handler stands here. */
export const FORMS: Readonly<Record<string, FormPath>> = {
  '/scans': {
    operationId: 'startScan',
    summary:
      'Checks one endpoint free of charge, or probes the listed endpoints of a host, and leads to the page of the check. Nothing is paid, and an endpoint that nobody lists leaves no trace.',
    fields: {
      url: {
        required: true,
        description:
          'URL of the endpoint, or a host. Without a scheme it is https; its query and fragment are dropped.',
        example: ENDPOINT,
      },
      publish: {
        description:
          '1 to put the endpoint into the index, if it gives valid payment terms and a document of its host names its path, or `secret` is right.',
        example: '1',
      },
      secret: { description: 'Secret of a claim of the host.', example: 'AAAAAAAAAAAAAAAAAAAAAA' },
      previous: {
        description: 'Id of an earlier check of the same endpoint to compare with.',
        example: 'AAAAAAAAAAAAAAAAAAAAAA',
      },
    },
    answers: { 303: 'Queued. `Location` leads to the check.' },
    schema: ScanSchema,
    example: {
      id: 'AAAAAAAAAAAAAAAAAAAAAA',
      url: `${ORIGIN}/scans/AAAAAAAAAAAAAAAAAAAAAA`,
      ...{ host: HOST, endpoint: ENDPOINT },
      ...{ state: 'queued', ahead: 0, askedAt: AT, finishedAt: null, expiresAt: '2026-05-01T12:00:00.000Z' },
      ...{ failure: null, published: false, publication: null, terms: [], challenge: null, result: null },
      ...{ endpoints: [], previous: null },
      profile: `${ORIGIN}/services/${HOST}`,
      badge: `${ORIGIN}/badge/${HOST}.svg`,
    },
    seeOther: 'the page of the check',
  },
  '/owners/{host}/claims': {
    operationId: 'claimHost',
    summary: 'Checks that a host publishes the token that the owner page gave, and stores the claim.',
    segments: host,
    fields: {
      secret: { required: true, description: 'Secret that the owner page gave.', example: SECRET },
      method: { required: true, description: 'Where to look: file or dns.', example: 'file' },
    },
    answers: { 200: 'The host is claimed.' },
    schema: HostClaimSchema,
    example: { host: HOST, method: 'file', since: AT, token: `touchstone-claim=${SECRET}` },
    isOfKnown: true,
  },
  '/owners/{host}/announcements': {
    operationId: 'checkAnnouncement',
    summary:
      'Checks the text that announces a new receiver: the one in the request, which is not stored, or the one that the host publishes.',
    segments: host,
    fields: {
      endpoint: { required: true, description: 'URL of the endpoint.', example: ENDPOINT },
      text: {
        description: 'Text that was signed, as the GET shows it.',
        example: 'x402 receiver rotation',
      },
      signature: { description: 'Signature of the text by the old receiver, in hex.', example: '0x' },
      method: {
        description: 'published: checks what the host publishes instead of text and signature.',
        example: 'published',
      },
    },
    answers: {
      200: 'The signature is right. `publish` is the entry to publish; the next probe reads a published one as evidence.',
    },
    schema: RotationSchema,
    example: { endpoint: ENDPOINT, verified: true, published: true },
    isOfKnown: true,
  },
  '/owners/{host}/disputes': {
    operationId: 'dispute',
    summary: 'Takes an objection of the owner. The operator publishes it with an answer.',
    segments: host,
    fields: {
      text: { required: true, description: 'Plain text of at most 1000 characters.', example: 'We moved.' },
      secret: { required: true, description: 'Secret of the host claim.', example: SECRET },
      about: { required: true, description: 'URL of an endpoint, or id of an incident.', example: ENDPOINT },
    },
    answers: { 202: 'Received.' },
    schema: DisputeSchema,
    example: { id: `${HOST}/AAAAAAAAAAAA`, host: HOST, state: 'waiting' },
    isOfKnown: true,
  },
  '/owners/{host}/webhooks': {
    operationId: 'addWebhook',
    summary: 'Creates a webhook for the owner; one of the same URL is replaced.',
    segments: host,
    fields: {
      url: { required: true, description: 'https URL on a public address.', example: HOOK },
      secret: { required: true, description: 'Secret of the host claim.', example: SECRET },
    },
    answers: { 202: 'Created. Its URL must answer a challenge.' },
    schema: WebhookSchema,
    example: {
      ...{ id: 'wh_AAAAAAAAAAAAAAAA', host: HOST, url: HOOK, secret: 'whsec_AAAA', state: 'unconfirmed' },
      ...{ createdAt: AT, expiresAt: '2027-01-31T12:00:00.000Z' },
    },
    isOfKnown: true,
  },
  '/owners/{host}/webhooks/remove': {
    operationId: 'removeWebhook',
    summary: 'Removes a webhook.',
    segments: host,
    fields: {
      url: { required: true, description: 'URL of the webhook.', example: HOOK },
      secret: { required: true, description: 'Secret of the host claim.', example: SECRET },
    },
    answers: { 200: 'Removed.' },
    schema: RemovedWebhookSchema,
    example: { id: 'wh_AAAAAAAAAAAAAAAA', removed: true },
    isOfKnown: true,
  },
}
