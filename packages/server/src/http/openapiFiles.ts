type Json = Record<string, unknown>

/** A file outside the operations, as the OpenAPI document describes it. */
type FileRoute = {
  readonly operationId: string
  readonly summary: string
  /** Parameters of the path. */
  readonly parameters?: Readonly<Record<string, Parameter>>
  readonly success: string
  /** Media types of a success. */
  readonly content: Json
  readonly missing: Json
}

type Parameter = { readonly description: string; readonly schema: Json; readonly example: string | number }

const TEXT = { 'text/plain': { schema: { type: 'string' } } }
const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
const HTML = { 'text/html': { schema: { type: 'string' } } }

const PROBLEM = { $ref: '#/components/responses/NotFound' }
const notCovered = (content: Json) => ({
  description: 'The published checkpoint does not cover it.',
  content,
})

const SIZE = { type: 'integer', minimum: 0 }
const PLACE: Parameter = {
  description:
    'Index and, of a partial tile, width, as C2SP tlog-tiles writes them: `x001/234.p/5` is tile 1,234 with 5 entries. Its slashes are not escaped.',
  schema: { type: 'string', pattern: '^(x[0-9]{3}/){0,4}[0-9]{3}(\\.p/[1-9][0-9]{0,2})?$' },
  example: '000.p/5',
}

/** Segments of a file about one host and day. */
const DAY_OF_HOST = {
  date: {
    description: 'Day in UTC.',
    schema: { type: 'string', format: 'date' },
    example: '2026-01-31',
  },
  host: {
    description: 'Host, with its port if that is not the usual one.',
    schema: { type: 'string' },
    example: 'api.example.com',
  },
}

/** Files of the map and the log by path. Source: docs/transparency.md and C2SP tlog-tiles. */
const FILES: Readonly<Record<string, FileRoute>> = {
  '/map/latest': {
    operationId: 'mapHeader',
    summary: 'Signed header of the newest map of all verdicts, a C2SP signed note.',
    success: 'The header. Its hash is that of the body of its version.',
    content: TEXT,
    missing: PROBLEM,
  },
  '/map/{name}': {
    operationId: 'mapFile',
    summary: 'Body of a version of the map, or the difference between two. Never changes.',
    parameters: {
      name: {
        description: 'A version such as `12`, or two such as `8-12`, the second one the newest.',
        schema: { type: 'string', pattern: '^[1-9][0-9]{0,14}(-[1-9][0-9]{0,14})?$' },
        example: '8-12',
      },
    },
    success: 'The body or the difference. The header of the version tells its length and hash.',
    content: BYTES,
    missing: PROBLEM,
  },
  '/log': {
    operationId: 'log',
    summary: 'Newest checkpoint, size and witnesses of the log, as a page.',
    success: 'The page.',
    content: HTML,
    missing: PROBLEM,
  },
  '/log/checkpoint': {
    operationId: 'logCheckpoint',
    summary: 'Newest checkpoint of the log, signed by it and by its witnesses.',
    success: 'A C2SP tlog-checkpoint.',
    content: TEXT,
    missing: { description: 'The log has no checkpoint yet.', content: TEXT },
  },
  '/log/tile/{level}/{place}': {
    operationId: 'logTile',
    summary: 'Hashes of the tree of the log, or with the level `entries` its leaves, up to 256 in a tile.',
    parameters: {
      level: {
        description: 'Level of the tile from 0 to 63, or `entries`.',
        schema: { type: 'string', pattern: '^(entries|[0-9]|[1-5][0-9]|6[0-3])$' },
        example: '0',
      },
      place: PLACE,
    },
    success: 'SHA-256 hashes one after the other, or leaves, each after its length in two bytes.',
    content: BYTES,
    missing: notCovered(TEXT),
  },
  '/log/openings/{place}': {
    operationId: 'logOpenings',
    summary: 'Openings of up to 256 leaves: what they name, with the salt of the commitment.',
    parameters: { place: PLACE },
    success: 'One line a leaf, empty where it names nobody or the opening was deleted.',
    content: TEXT,
    missing: notCovered(TEXT),
  },
  '/log/leaves/{index}': {
    operationId: 'logLeaf',
    summary: 'One leaf of the log with its opening and the proof that the log holds it.',
    parameters: {
      index: {
        description: 'Place of the leaf, such as `logIndex` of a verdict.',
        schema: SIZE,
        example: 12,
      },
    },
    success: 'The leaf.',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['index', 'leaf', 'opening', 'proof'],
          properties: {
            index: SIZE,
            leaf: { type: 'string', description: 'Canonical JSON (RFC 8785).' },
            opening: {
              type: 'string',
              nullable: true,
              description: 'Canonical JSON; null if the leaf names nobody or it was deleted.',
            },
            proof: { type: 'string', description: 'A C2SP tlog-proof, complete for offline use.' },
          },
        },
      },
    },
    missing: notCovered({
      'application/json': {
        schema: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } },
      },
    }),
  },
  '/log/days/{date}/{host}': {
    operationId: 'logDay',
    summary: 'Exact probes of a host on one day, from 24 hours after its end on, while they are kept.',
    parameters: DAY_OF_HOST,
    success:
      'One line of JSON a probe, with all that the score reads. The SHA-256 of the body is that of the leaf of the day.',
    content: { 'application/x-ndjson': { schema: { type: 'string' } } },
    missing: {
      description: 'There are no such looks, or it is too early.',
      content: { 'application/x-ndjson': { schema: { type: 'string' } } },
    },
  },
  '/log/inputs/{date}/{host}': {
    operationId: 'logInputs',
    summary: 'What judgements of a host read beside its looks on one day, from 24 hours after its end on.',
    parameters: DAY_OF_HOST,
    success: 'One line of JSON a fact. The SHA-256 of the body is `inputs` of the leaf of the day.',
    content: { 'application/x-ndjson': { schema: { type: 'string' } } },
    missing: {
      description: 'There are no such facts, or it is too early.',
      content: { 'application/x-ndjson': { schema: { type: 'string' } } },
    },
  },
}

/** Returns the paths of the files of the map and the log for the OpenAPI document. */
export function describeFiles(): Json {
  return Object.fromEntries(
    Object.entries(FILES).map(([path, { operationId, summary, parameters, success, content, missing }]) => [
      path,
      {
        get: {
          operationId,
          tags: ['files'],
          summary,
          ...(parameters !== undefined && { parameters: Object.entries(parameters).map(describeParameter) }),
          responses: {
            200: { description: success, headers: { ETag: { schema: { type: 'string' } } }, content },
            304: { description: 'Not modified.' },
            404: missing,
            429: { $ref: '#/components/responses/TooManyRequests' },
            503: { $ref: '#/components/responses/Unavailable' },
          },
        },
      },
    ]),
  )
}

function describeParameter([name, { description, schema, example }]: [string, Parameter]): Json {
  return { name, in: 'path', required: true, description, schema, example }
}
