import {
  DisputeSchema,
  HostClaimSchema,
  RemovedWebhookSchema,
  RotationSchema,
  ScanSchema,
  WebhookSchema,
} from '@touchstone402/shared'
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
  /** Where a 303 leads a browser. @default it gets a page */
  readonly seeOther?: string
  /** What it asks for must be known, else 404. @default false */
  readonly isOfKnown?: true
}

const ORIGIN = 'https://trust.example'
const HOST = 'api.example.com'
const ENDPOINT = `https://${HOST}/weather`
const AT = '2026-01-31T12:00:00.000Z'
const SECRET = 'A'.repeat(43)
const HOOK = 'https://hooks.example.com/in'

/** Everything that is asked for by a form or a JSON object, by path. Each page with a `post` handler stands here. */
export const POST_PATHS: Readonly<Record<string, PostPath>> = {
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
      'Checks the text that announces a new receiver: the one in the request, which is not stored, or without text and signature the one that the host publishes.',
    fields: {
      endpoint: { required: true, description: 'URL of the endpoint.', example: ENDPOINT },
      text: {
        description:
          'Text that was signed, as the GET shows it. By default the text of the measured receiver.',
        example: 'x402 receiver rotation',
      },
      signature: { description: 'Signature of the text by the old receiver, in hex.', example: '0x' },
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
    fields: {
      text: { required: true, description: 'Plain text of at most 1000 characters.', example: 'We moved.' },
      secret: { required: true, description: 'Secret of the host claim.', example: SECRET },
      endpoint: { description: 'URL of the endpoint that it is about.', example: ENDPOINT },
      incident: { description: 'Id of the incident that it is about, instead.', example: 'inc_1' },
    },
    answers: { 202: 'Received.' },
    schema: DisputeSchema,
    example: { id: `${HOST}/AAAAAAAAAAAA`, host: HOST, state: 'waiting' },
    isOfKnown: true,
  },
  '/owners/{host}/webhooks': {
    operationId: 'addWebhook',
    summary: 'Creates a webhook for the owner; one of the same URL is replaced.',
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
    fields: {
      id: { required: true, description: 'Id of the webhook.', example: 'wh_AAAAAAAAAAAAAAAA' },
      secret: { required: true, description: 'Secret of the webhook.', example: 'whsec_AAAA' },
    },
    answers: { 200: 'Removed.' },
    schema: RemovedWebhookSchema,
    example: { id: 'wh_AAAAAAAAAAAAAAAA', removed: true },
    isOfKnown: true,
  },
}
