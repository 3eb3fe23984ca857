import { decodeBase64Json, isRecord, parseJson } from '@touchstone402/shared'
import { readBounded } from '../lib/readBounded.ts'

const MAX_BODY = 256 * 1024
const MAX_ENTRIES = 64
const JSON_TYPE = /^\s*application\/([a-z0-9.+-]+\+)?json\b/i

/** Whether a challenge, in its header or its body, declares that the paid answer is JSON. Reads the response. */
export async function declaresJson(response: Response): Promise<boolean> {
  const header = decodeBase64Json(response.headers.get('payment-required') ?? '')
  const text = await readBounded(response, MAX_BODY).catch(() => null)
  return [header, parse(text)].some((challenge) => typesOf(challenge).some(isJson))
}

const isJson = (type: unknown) => typeof type === 'string' && JSON_TYPE.test(type)

/** Returns the media types that a challenge declares: of the resource in version 2, of each entry in version 1. */
function typesOf(challenge: unknown): unknown[] {
  if (!isRecord(challenge)) return []
  const { resource, accepts } = challenge
  const entries = Array.isArray(accepts) ? accepts.slice(0, MAX_ENTRIES) : []
  return [resource, ...entries].flatMap((place: unknown) => (isRecord(place) ? [place.mimeType] : []))
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : parseJson(text)
  } catch {
    return null
  }
}
