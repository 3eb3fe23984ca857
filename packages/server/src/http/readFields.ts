import { isRecord, parseJson } from '@touchstone402/shared'
import type { Request } from 'express'
import { ProblemError } from '../lib/problemError.ts'
import { createBodyCollector } from '../lib/readBounded.ts'
import { badQuery } from './free/freeRoute.ts'

/** Maximum size of a request body, in bytes. */
export const MAX_BODY_BYTES = 16 * 1024
const MAX_FIELDS = 32

/** Error text for a larger body. */
export const TOO_LARGE = `A request body may have at most ${MAX_BODY_BYTES} bytes.`

/** The fields of a form, by name. */
export type Fields = ReadonlyMap<string, string>

/**
 * Reads the fields of a form or of a flat JSON object of strings.
 * @throws ProblemError 400 for anything else, 413 for a body above {@link MAX_BODY_BYTES}, 415 for another media type
 */
export async function readFields(request: Request): Promise<Fields> {
  const isForm = request.is('application/x-www-form-urlencoded') !== false
  if (!isForm && request.is('application/json') === false) {
    throw new ProblemError(
      415,
      'unsupported_media_type',
      'Send a form (application/x-www-form-urlencoded) or a JSON object (application/json).',
    )
  }
  const text = await readText(request)
  const entries = isForm ? readForm(text) : readObject(text)
  const fields = new Map<string, string>()
  for (const [name, value] of entries.slice(0, MAX_FIELDS)) {
    if (fields.has(name)) throw refuse(name, 'repeated', `${name} may be given once`)
    fields.set(name, value)
  }
  return fields
}

const refuse = (parameter: string, code: string, message: string) =>
  badQuery([{ parameter, code, message }], 'invalid_fields')

/** Returns the refusal of one field, whose message begins with its name. */
export const badField = (parameter: string, code: string, message: string) =>
  refuse(parameter, code, `${parameter}: ${message}`)

/** Returns the message about a field without its name, for pages that show the name beside it. */
export function withoutName(parameter: string, message: string): string {
  const name = `${parameter}: `
  return message.startsWith(name) ? message.slice(name.length) : message
}

/** Returns the refusal of a body that is too large. */
export const bodyTooLarge = (detail: string) => new ProblemError(413, 'body_too_large', detail)

async function readText(request: Request): Promise<string> {
  const collector = createBodyCollector(MAX_BODY_BYTES)
  // Destroying the request would drop the connection before the refusal is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!collector.add(chunk)) throw bodyTooLarge(TOO_LARGE)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(collector.read())
  } catch {
    throw new ProblemError(400, 'bad_body', 'The request body is not UTF-8.')
  }
}

// Browsers send line feeds of a text area as CR LF.
const readForm = (text: string): [string, string][] =>
  [...new URLSearchParams(text)].map(([name, value]) => [name, value.replaceAll('\r\n', '\n')])

function readObject(text: string): [string, string][] {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    throw new ProblemError(400, 'bad_body', 'The request body is not JSON.')
  }
  if (!isRecord(value)) throw new ProblemError(400, 'bad_body', 'The request body is not a JSON object.')
  return Object.entries(value).map(([name, entry]) => {
    if (typeof entry !== 'string') throw refuse(name.slice(0, 80), 'malformed', 'expected a string')
    return [name, entry]
  })
}
