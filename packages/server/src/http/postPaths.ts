import { RecheckSchema, RotationSchema, ScanSchema, SubmissionSchema } from '@touchstone402/shared'
import type * as z from 'zod/mini'

/** A field of a form. */
type FormField = { readonly description: string; readonly example: string; readonly required?: true }

/** What a POST takes and answers. */
export type PostPath = {
  readonly operationId: string
  readonly summary: string
  readonly fields: Readonly<Record<string, FormField>>
  /** Meaning of each success of a program, by status. All have the schema and the example. */
  readonly answers: Readonly<Record<number, string>>
  readonly schema: z.ZodMiniType
  readonly example: object
  /** Where a 303 leads a browser. */
  readonly seeOther: string
  /** What it asks for must be known, else 404. @default false */
  readonly isOfKnown?: true
}

const ORIGIN = 'https://trust.example'
const HOST = 'api.example.com'
const ENDPOINT = `https://${HOST}/weather`
const QUERY = `endpoint=${encodeURIComponent(ENDPOINT)}`
const AT = '2026-01-31T12:00:00.000Z'

/** Everything that is asked for by a form or a JSON object, by path. Each page with a `post` handler stands here. */
export const POST_PATHS: Readonly<Record<string, PostPath>> = {
  '/scans': {
    operationId: 'startScan',
    summary: 'Queues a free scan of one endpoint and leads to its page.',
    fields: {
      url: {
        required: true,
        description: 'URL of the endpoint. Without a scheme it is https; its query and fragment are dropped.',
        example: ENDPOINT,
      },
    },
    answers: { 303: 'Queued. `Location` leads to the scan.' },
    schema: ScanSchema,
    example: {
      id: 'AAAAAAAAAAAAAAAAAAAAAA',
      url: `${ORIGIN}/scans/AAAAAAAAAAAAAAAAAAAAAA`,
      endpoint: ENDPOINT,
      ...{ state: 'queued', ahead: 0, askedAt: AT, finishedAt: null, expiresAt: '2026-05-01T12:00:00.000Z' },
      ...{ failure: null, result: null },
      profile: `${ORIGIN}/services/${HOST}`,
      badge: `${ORIGIN}/badge/${HOST}.svg`,
    },
    seeOther: 'the page of the scan',
  },
  '/submissions': {
    operationId: 'submitEndpoint',
    summary: 'Takes an endpoint that is not known yet for a first probe.',
    fields: {
      url: {
        required: true,
        description: 'URL of the endpoint, absolute. Its query and fragment are dropped.',
        example: ENDPOINT,
      },
    },
    answers: { 200: 'The endpoint is known; nothing was queued.', 202: 'Queued for its first probe.' },
    schema: SubmissionSchema,
    example: {
      endpoint: ENDPOINT,
      state: 'waiting',
      progress: `${ORIGIN}/submissions?url=${encodeURIComponent(ENDPOINT)}`,
      profile: `${ORIGIN}/services/${HOST}?${QUERY}`,
    },
    seeOther: 'the progress, or the profile of a known endpoint',
  },
  '/rechecks': {
    operationId: 'recheckHost',
    summary: 'Queues all endpoints of a known host for an early probe, once an hour.',
    fields: {
      host: {
        required: true,
        description: 'Host, with the port if it is not the default one.',
        example: HOST,
      },
    },
    answers: { 202: 'Queued.' },
    schema: RecheckSchema,
    example: {
      host: HOST,
      endpoints: [ENDPOINT],
      profile: `${ORIGIN}/services/${HOST}`,
      progress: `${ORIGIN}/rechecks?host=${HOST}&since=${Date.parse(AT)}`,
    },
    seeOther: 'the progress',
    isOfKnown: true,
  },
  '/rotations': {
    operationId: 'checkRotation',
    summary:
      'Checks the text that announces a new receiver: the one in the request, which is not stored, or without text and signature the one that the host publishes.',
    fields: {
      endpoint: { required: true, description: 'URL of the endpoint.', example: ENDPOINT },
      text: {
        description:
          'Text that was signed, as the GET shows it. By default the text of the receiver that is seen.',
        example: 'x402 receiver rotation',
      },
      signature: { description: 'Signature of the text by the old receiver, in hex.', example: '0x' },
    },
    answers: {
      200: 'The signature is right; `publish` is the entry to publish.',
      202: 'The published announcement is right, and is read as evidence at the next probe.',
    },
    schema: RotationSchema,
    example: {
      ...{ endpoint: ENDPOINT, verified: true, published: true, recheck: true },
      next: `${ORIGIN}/rechecks?host=${HOST}&since=${Date.parse(AT)}`,
    },
    seeOther:
      'the progress of the re-check, or the profile; text and signature in the request are answered with a page',
    isOfKnown: true,
  },
}
