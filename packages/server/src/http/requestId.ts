import type { ServerResponse } from 'node:http'
import { randomText } from '../lib/ids.ts'

/** Name of the response header with the id of a request. */
export const REQUEST_ID = 'X-Request-Id'

const ids = new WeakMap<ServerResponse, string>()

/**
 * Returns the id of the request that a response answers, the same at each call: it stands in the response, in its problem
 * document, and in log lines. Ids of clients are not used, since they could imitate others.
 */
export function requestIdOf(response: ServerResponse): string {
  const known = ids.get(response)
  if (known !== undefined) return known
  // Short, because the head of a 402 must stay small.
  const id = randomText(9, 'base64url')
  ids.set(response, id)
  return id
}
