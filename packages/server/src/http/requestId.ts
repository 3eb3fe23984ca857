import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** Name of the response header with the id of a request. */
export const REQUEST_ID = 'X-Request-Id'

// Ids count up within a process, so making one costs almost nothing.
const PROCESS = randomBytes(6).toString('base64url')
let made = 0

const ids = new WeakMap<ServerResponse, string>()

/**
 * Returns the id of the request that a response answers, the same at each call: it stands in the response, in its problem
 * document, and in log lines. Ids of clients are not used, since they could imitate others.
 */
export function requestIdOf(response: ServerResponse): string {
  let id = ids.get(response)
  if (id === undefined) {
    made += 1
    id = `${PROCESS}-${made.toString(36)}`
    ids.set(response, id)
  }
  return id
}
