import {
  BASE_USDC,
  ConfirmationSchema,
  DisputeSchema,
  FindingsSchema,
  HostClaimSchema,
  IncidentEvidenceSchema,
  LogEntrySchema,
  McpVerificationSchema,
  OwnerSchema,
  ProfileSchema,
  PublishedObservationSchema,
  type QueryParameter,
  RemovedWebhookSchema,
  ReplySchema,
  RotationSchema,
  ScanSchema,
  TokenListSchema,
  TokenPageSchema,
  WebhookSchema,
} from '@touchstone402/shared'
import type * as z from 'zod/mini'
import { SERIES_IDS } from '../publish/seriesIds.ts'

/** GET path of a page, feed, document or file; operations are declared elsewhere. */
export type ReadPath = {
  readonly operationId: string
  /** Media types of the 200; the Accept header chooses where there are several. */
  readonly types: readonly string[]
  readonly summary: string
  /** Schema of the JSON. @default an object */
  readonly schema?: z.ZodMiniType
  /** Parameters of the query. @default none */
  readonly query?: Readonly<Record<string, QueryParameter>>
  /** Segment of the path that differs from {@link SEGMENTS}. */
  readonly example?: string
}

/** A field of a form. */
type FormField = { readonly description: string; readonly example: string; readonly required?: true }

/** POST path that takes a form or a JSON object. A host in its path must be known. */
export type FormPath = Pick<ReadPath, 'operationId' | 'summary'> & {
  readonly fields: Readonly<Record<string, FormField>>
  /** Status and meaning of a success. A browser is sent on by 303, or gets a page. */
  readonly success: readonly [status: 200 | 202 | 303, meaning: string]
  readonly schema: z.ZodMiniType
  readonly example: object
}

const ORIGIN = 'https://trust.example'
const HOST = 'api.example.com'
const ENDPOINT = `https://${HOST}/weather`
const AT = '2026-01-31T12:00:00.000Z'
const SECRET = 'A'.repeat(43)
const SCAN_ID = 'A'.repeat(22)
const HOOK = 'https://hooks.example.com/in'

/** Named segments of the paths: description, example, and a pattern where it is narrow. */
const SEGMENTS: Readonly<Record<string, readonly [string, string, string?]>> = {
  host: ['Host, with the port if it is not the default one.', HOST],
  id: ['Id, as other answers give it.', 'inc_1'],
  file: ['The host or the id, and the ending of the type.', `${HOST}.png`],
  name: [
    'A version such as `12`, or two such as `8-12`, the second one the newest.',
    '8-12',
    '^[1-9][0-9]{0,14}(-[1-9][0-9]{0,14})?$',
  ],
  level: ['Level of the tile from 0 to 63, or `entries`.', '0', '^(entries|[0-9]|[1-5][0-9]|6[0-3])$'],
  place: [
    'Index and, of a partial tile, width, as C2SP tlog-tiles writes them: `x001/234.p/5` is tile 1,234 with 5 entries. Its slashes are not escaped.',
    '000.p/5',
    '^(x[0-9]{3}/){0,4}[0-9]{3}(\\.p/[1-9][0-9]{0,2})?$',
  ],
  index: ['Place of the entry, such as `logIndex` of a verdict.', '12', '^(0|[1-9][0-9]{0,14})$'],
  date: ['Day in UTC.', '2026-11-20'],
  series: [`One of ${SERIES_IDS.join(', ')}.`, SERIES_IDS[0], `^(${SERIES_IDS.join('|')})$`],
  operation: ['`operationId` of the operation.', 'verify'],
  address: ['Address of a token, in any case.', BASE_USDC, '^0x[0-9a-fA-F]{40}$'],
}

/** Lists the named segments of a path. */
export function segmentsOf(path: string, example?: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const [description = '', usual = '', pattern] = SEGMENTS[name] ?? []
    return { name, description, example: example ?? usual, pattern }
  })
}

/** Query of `/mcp/verify`. */
export const MCP_VERIFY_QUERY = {
  package: { kind: 'package', required: true, description: 'Name of an npm package.' },
} as const

const FINDINGS_QUERY = {
  endpoint: {
    kind: 'url',
    required: true,
    example: 'https://api.example.com/v1/weather',
    description: 'URL of the endpoint.',
  },
} as const

type More = Pick<ReadPath, 'schema' | 'query' | 'example'>
const readAs =
  (...types: readonly string[]) =>
  (operationId: string, summary: string, more: More = {}): ReadPath => ({
    operationId,
    summary,
    types,
    ...more,
  })
const csv = readAs('text/csv')
const html = readAs('text/html')
const json = readAs('application/json')
const htmlAndJson = readAs('text/html', 'application/json')
const svgAndJson = readAs('image/svg+xml', 'application/json')
const png = readAs('image/png')
const rss = readAs('application/rss+xml')
const xml = readAs('application/xml')
const text = readAs('text/plain')
const bytes = readAs('application/octet-stream')
const lines = readAs('application/x-ndjson')

/** Files of the map and the log by path. Source: docs/transparency.md and C2SP tlog-tiles. */
export const FILES: Readonly<Record<string, ReadPath>> = {
  '/map/latest': text('mapHeader', 'Signed header of the newest map of verdicts, a C2SP signed note.'),
  '/map/{name}': bytes('mapFile', 'Body of a version of the map, or what differs between two.'),
  '/log/checkpoint': text('logCheckpoint', 'Newest checkpoint (C2SP tlog-checkpoint), with witnesses.'),
  '/log/tile/{level}/{place}': bytes('logTile', 'Up to 256 hashes of the tree, or log entries.'),
  '/log/openings/{place}': text('logOpenings', 'Subjects and salts of up to 256 log entries, a line each.'),
  '/log/leaves/{index}': json('logLeaf', 'One log entry with its opening and its proof.', {
    schema: LogEntrySchema,
  }),
  '/log/days/{date}/{host}': lines('logDay', 'Probes of a host on one day, from 24 hours after its end.'),
  '/log/inputs/{date}/{host}': lines('logInputs', 'What judgements of a host read beside its probes.'),
}

/** Pages, feeds and documents beside the operations, by path. A page of both types answers JSON at its path with `.json` too. */
export const PAGES: Readonly<Record<string, ReadPath>> = {
  '/': htmlAndJson('home', 'Dashboard, or an index of the service for programs.'),
  '/services/{host}': htmlAndJson('profile', 'Trust profile of one host.', { schema: ProfileSchema }),
  '/services/{host}/feed.rss': rss('hostRss', 'Incidents and changes of one host, as RSS.'),
  '/owners/{host}': htmlAndJson(
    'owner',
    'What the owner of a host can do: claim, announce, reply, dispute, check, get alerts.',
    { schema: OwnerSchema },
  ),
  '/feed': html('feed', 'Incidents and changes, newest first.'),
  '/incidents.rss': rss('incidentsRss', 'Incidents as RSS.'),
  '/changes.rss': rss('changesRss', 'Changes as RSS.'),
  '/tokens': htmlAndJson('tokens', 'Tokens whose last finished UTC day is read.', {
    schema: TokenListSchema,
  }),
  '/tokens/{address}': htmlAndJson(
    'tokenPage',
    'The last finished UTC day of a token, and the paid calls that read it now. It never reads the chain.',
    { schema: TokenPageSchema },
  ),
  '/tokens/{address}.csv': csv('tokenHours', 'The hours of that day, as CSV; 404 if none was read.'),
  '/reports': html('reportsPage', 'The latest report of the ecosystem, with plots.'),
  '/reports/{date}': html('reportOfDate', 'The report of one day; it stays.'),
  '/reports/{date}/{series}': html(
    'reportSeries',
    'One series up to a day: plot, values, and how to cite it.',
  ),
  '/reports/{date}/{series}.png': png('reportPicture', 'The plot of a series, of 1200 x 630 pixels.'),
  '/reports/{date}/{series}.csv': csv('reportData', 'The values of a series, a row a day.'),
  '/methodology': html('methodology', 'Specification of the score.'),
  '/about': html('about', 'Who runs this instance, how it is paid for, and what a verdict cannot tell.'),
  '/docs': html('docs', 'Guide to this interface.'),
  '/docs/reference': html('reference', 'Every operation of this document, as a page.'),
  '/docs/reference/{operation}': html('referenceOperation', 'One operation with its fields, as a page.'),
  '/log': htmlAndJson('log', 'Newest checkpoint, size and witnesses of the log.'),
  '/badge/{file}': svgAndJson('badge', 'Badge of a host: HOST.svg, or HOST.json for shields.io.', {
    example: `${HOST}.json`,
  }),
  '/cards/services/{file}': png('hostCard', 'Share card of a host: a picture of 1200 x 630 pixels.'),
  '/cards/incidents/{file}': png('incidentCard', 'Share card of an incident.', {
    example: 'inc_1.png',
  }),
  '/incidents/{id}': htmlAndJson('incidentPage', 'One incident with its evidence.', {
    schema: IncidentEvidenceSchema,
  }),
  '/observations/{id}': htmlAndJson(
    'observation',
    'One probe, from 24 hours on, or at once if a finding cites it.',
    { schema: PublishedObservationSchema, example: 'obs_1' },
  ),
  '/findings': json(
    'findings',
    'The findings of an endpoint, with what was answered in every probe that they cite.',
    { schema: FindingsSchema, query: FINDINGS_QUERY },
  ),
  '/scans/{id}': htmlAndJson('scan', 'One check: its progress, then its result. Kept 90 days.', {
    schema: ScanSchema,
    example: SCAN_ID,
  }),
  '/mcp/verify': json('mcpVerify', 'Safety audit of one npm package as an MCP server, kept a day.', {
    schema: McpVerificationSchema,
    query: MCP_VERIFY_QUERY,
  }),
  '/robots.txt': text('robots', 'Rules for crawlers.'),
  '/sitemap.xml': xml('sitemap', 'Pages for search engines.'),
  '/llms.txt': text('llms', 'The service in short, for models.'),
  '/openapi.json': json('openapi', 'This document.'),
  '/.well-known/x402': json('x402Resources', 'Paid resources of the service.'),
  '/.well-known/jwks.json': json('jwks', 'Public keys of signed verdicts, as a JSON Web Key Set.'),
  '/.well-known/security.txt': text('securityTxt', 'Where to report a vulnerability (RFC 9116).'),
  '/healthz': json('health', 'Answers while the process is alive.'),
  '/readyz': json(
    'readiness',
    'Whether this process can answer, and the state of its parts; 503 if it cannot.',
  ),
}

/** Whether a page answers JSON beside HTML. @param path as it is mounted, such as `/services/:host` */
export function hasJson(path: string): boolean {
  return PAGES[path.replaceAll(/:(\w+)/g, '{$1}')]?.types.join() === 'text/html,application/json'
}

const required = (description: string, example: string) => ({ description, example, required: true }) as const
const optional = (description: string, example: string) => ({ description, example })

/** Forms by path. Each page with a `post` handler stands here. */
export const FORMS: Readonly<Record<string, FormPath>> = {
  '/scans': {
    operationId: 'startScan',
    summary:
      'Checks one endpoint, or the listed endpoints of a host. Pays nothing; for an unlisted endpoint only the result page is kept.',
    fields: {
      url: optional(
        'URL of the endpoint, or a host; this or `host` is required. Query and fragment are dropped.',
        ENDPOINT,
      ),
      host: optional('Host of the index whose listed endpoints are probed.', HOST),
      publish: optional(
        '1 to list an endpoint with valid terms that a document of its host or `secret` vouches for.',
        '1',
      ),
      secret: optional('Secret of a claim of the host.', SCAN_ID),
      previous: optional('Id of an earlier check of the endpoint to compare with.', SCAN_ID),
    },
    success: [303, 'Queued. `Location` leads to the check.'],
    schema: ScanSchema,
    example: {
      id: SCAN_ID,
      url: `${ORIGIN}/scans/${SCAN_ID}`,
      host: HOST,
      endpoint: ENDPOINT,
      state: 'queued',
      ahead: 0,
      askedAt: AT,
      finishedAt: null,
      expiresAt: '2026-05-01T12:00:00.000Z',
      failure: null,
      published: false,
      publication: null,
      terms: [],
      challenge: null,
      result: null,
      endpoints: [],
      previous: null,
      profile: `${ORIGIN}/services/${HOST}`,
      badge: `${ORIGIN}/badge/${HOST}.svg`,
    },
  },
  '/owners/{host}/claims': {
    operationId: 'claimHost',
    summary: 'Checks that a host publishes the token that the owner page gave, and stores the claim.',
    fields: {
      secret: required('Secret that the owner page gave.', SECRET),
      method: required(
        'Where to look: file or dns; held to go on with a claim that was proven before.',
        'file',
      ),
    },
    success: [200, 'The host is claimed.'],
    schema: HostClaimSchema,
    example: { host: HOST, method: 'file', since: AT, token: `touchstone-claim=${SECRET}` },
  },
  '/owners/{host}/announcements': {
    operationId: 'checkAnnouncement',
    summary:
      'Checks the text that announces a new receiver: the one in the request, which is not stored, or the one that the host publishes.',
    fields: {
      endpoint: required('URL of the endpoint.', ENDPOINT),
      text: optional('Text that was signed, as the owner page gives it.', 'x402 receiver rotation'),
      signature: optional('Signature by the old receiver, in hex.', '0x'),
      method: optional(
        'published: checks what the host publishes instead of text and signature.',
        'published',
      ),
    },
    success: [200, 'The signature is right; publish the entry in `publish`.'],
    schema: RotationSchema,
    example: { endpoint: ENDPOINT, verified: true, published: true },
  },
  '/owners/{host}/confirmations': {
    operationId: 'confirmReceiver',
    summary:
      'Confirms a change of receiver that came after a host claim by DNS. Avoid becomes Caution after seven days.',
    fields: {
      endpoint: required('URL of an endpoint whose receiver changed.', ENDPOINT),
      secret: required('Secret of the host claim.', SECRET),
    },
    success: [200, 'Confirmed.'],
    schema: ConfirmationSchema,
    example: {
      endpoint: ENDPOINT,
      oldPayTo: '0xD4Db3C6fB1bD7a11D4Db3C6fB1bD7a11D4Db3C6f',
      newPayTo: '0x280b4C9b2c9a5fD4280b4C9b2c9a5fD4280b4C9b',
      claimedAt: AT,
      countsFrom: '2026-02-07T12:00:00.000Z',
    },
  },
  '/owners/{host}/replies': {
    operationId: 'reply',
    summary:
      "Shows a reply of the owner on the profile's page at once, in place of the one about the same subject.",
    fields: {
      about: required('The host, the URL of an endpoint, or the id of an incident.', ENDPOINT),
      text: optional(
        'Plain text of at most 500 characters, without addresses, links, domains and invisible characters. Empty to withdraw the reply.',
        'We moved to a new wallet; the old key is lost.',
      ),
      method: optional('remove: withdraws the reply.', 'remove'),
      secret: required('Secret of the host claim.', SECRET),
    },
    success: [200, 'Shown, or withdrawn.'],
    schema: ReplySchema,
    example: {
      id: `${HOST}/AAAAAAAAAAAA`,
      host: HOST,
      about: ENDPOINT,
      state: 'shown',
      at: AT,
      commitment: { salt: 'AAAAAAAAAAAAAAAAAAAAAA==', sha256: `${'A'.repeat(43)}=` },
    },
  },
  '/owners/{host}/disputes': {
    operationId: 'dispute',
    summary:
      'Opens a dispute. Its state and dates are public at once, its text with the answer of the operator.',
    fields: {
      about: required('URL of an endpoint, or id of an incident.', ENDPOINT),
      text: required('Plain text of at most 1000 characters. Public once it is answered.', 'We moved.'),
      secret: required('Secret of the host claim.', SECRET),
    },
    success: [202, 'Opened.'],
    schema: DisputeSchema,
    example: {
      id: `${HOST}/AAAAAAAAAAAA`,
      host: HOST,
      state: 'open',
      since: AT,
      promisedBy: '2026-02-07T12:00:00.000Z',
    },
  },
  '/owners/{host}/webhooks': {
    operationId: 'addWebhook',
    summary: 'Creates a webhook for the owner; one of the same URL is replaced.',
    fields: {
      url: required('https URL on a public address.', HOOK),
      secret: required('Secret of the host claim.', SECRET),
    },
    success: [202, 'Created. Its URL must answer a challenge.'],
    schema: WebhookSchema,
    example: {
      id: 'wh_AAAAAAAAAAAAAAAA',
      host: HOST,
      url: HOOK,
      secret: 'whsec_AAAA',
      state: 'unconfirmed',
      createdAt: AT,
      expiresAt: '2027-01-31T12:00:00.000Z',
    },
  },
  '/owners/{host}/webhooks/remove': {
    operationId: 'removeWebhook',
    summary: 'Removes a webhook.',
    fields: {
      url: required('URL of the webhook.', HOOK),
      secret: required('Secret of the host claim.', SECRET),
    },
    success: [200, 'Removed.'],
    schema: RemovedWebhookSchema,
    example: { id: 'wh_AAAAAAAAAAAAAAAA', removed: true },
  },
}
