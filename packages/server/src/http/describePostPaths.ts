import type * as z from 'zod/mini'
import { POST_PATHS, type PostPath } from './postPaths.ts'
import { MAX_BODY_BYTES } from './readFields.ts'

type Json = Record<string, unknown>

const HOST = 'api.example.com'
const PAGE = { 'text/html': { schema: { type: 'string' } } }
const response = (name: string) => ({ $ref: `#/components/responses/${name}` })

/** Adds what is asked for by POST to the path items of the OpenAPI document. */
export function addPostPaths(paths: Json, schemaRef: (schema: z.ZodMiniType) => Json): Json {
  const added = Object.entries(POST_PATHS).map(([path, post]) => [
    path,
    { ...(paths[path] as Json | undefined), post: { ...parametersOf(path), ...describe(post, schemaRef) } },
  ])
  return { ...paths, ...Object.fromEntries(added) }
}

/** Every named segment of these paths is a host. */
function parametersOf(path: string): Json {
  if (!path.includes('{host}')) return {}
  const description = 'Host, with the port if it is not the default one.'
  const schema = { type: 'string' }
  return { parameters: [{ name: 'host', in: 'path', required: true, description, schema, example: HOST }] }
}

function describe(post: PostPath, schemaRef: (schema: z.ZodMiniType) => Json): Json {
  const { operationId, summary, fields, isOfKnown } = post
  const form = { schema: describeFields(fields), example: exampleOf(fields) }
  return {
    operationId,
    tags: ['form'],
    summary,
    requestBody: {
      required: true,
      description: `At most ${MAX_BODY_BYTES} bytes.`,
      content: { 'application/x-www-form-urlencoded': form, 'application/json': form },
    },
    responses: {
      ...describeAnswers(post, schemaRef(post.schema)),
      400: response('BadFields'),
      ...(isOfKnown && { 404: response('NotFound') }),
      413: response('BodyTooLarge'),
      415: response('UnsupportedMediaType'),
      429: response('TooManyRequests'),
      500: response('Internal'),
      503: response('Unavailable'),
    },
  }
}

function describeFields(fields: PostPath['fields']): Json {
  const required = Object.keys(fields).filter((name) => fields[name]?.required)
  const properties = Object.entries(fields).map(([name, { description }]) => [
    name,
    { type: 'string', description },
  ])
  return { type: 'object', required, properties: Object.fromEntries(properties) }
}

/** Returns a request that needs nothing but the required fields. */
function exampleOf(fields: PostPath['fields']): Json {
  const required = Object.entries(fields).filter(([, field]) => field.required)
  return Object.fromEntries(required.map(([name, { example }]) => [name, example]))
}

/** Programs get JSON; a browser is sent on, or shown a page where there is nothing to go on to. */
function describeAnswers({ answers, example, seeOther }: PostPath, schema: Json): Json {
  const json = { 'application/json': { schema, example } }
  const successes = Object.entries(answers).map(([status, description]) => [
    status,
    { description, content: seeOther === undefined ? { ...json, ...PAGE } : json },
  ])
  if (seeOther === undefined) return Object.fromEntries(successes)
  const next = {
    description: `A browser is sent on: ${seeOther}.`,
    headers: { Location: { schema: { type: 'string' } } },
    content: { 'text/plain': { schema: { type: 'string' } } },
  }
  const programs = answers[303]
  const both = programs !== undefined && {
    description: programs,
    content: { ...next.content, ...json },
  }
  return { ...Object.fromEntries(successes), 303: { ...next, ...both } }
}
