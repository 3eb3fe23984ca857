import { type Challenge, decodeChallenge, X402_HEADERS } from '@touchstone402/shared'
import { readBody } from '../readBody.ts'

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 10_000

/** Reads and decodes the challenge of a 402. A body over the limits counts as absent. */
export async function readChallenge(response: Response): Promise<Challenge> {
  const body = await readBody(response, MAX_BYTES, TIMEOUT_MS).catch(() => null)
  const { headers } = response
  const authenticate = headers.get('www-authenticate')
  return decodeChallenge({ header: headers.get(X402_HEADERS.required), body, authenticate })
}
