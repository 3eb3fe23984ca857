import { decodeChallenge, X402_HEADERS } from '@touchstone402/shared'
import type { FullChallenge } from '../decide/otherProtocols.ts'
import { readBody } from '../readBody.ts'
import type { GuardContext } from './guardContext.ts'

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 10_000

/**
 * Reads and decodes the challenge of a 402. A body over the limits counts as absent.
 * @param asked headers of the request, which may name the methods of MPP that its library pays by. @default none
 */
export async function readChallenge(
  { now, schemes: { mpp } }: Pick<GuardContext, 'now' | 'schemes'>,
  response: Response,
  asked = new Headers(),
): Promise<FullChallenge> {
  const body = await readBody(response, MAX_BYTES, TIMEOUT_MS).catch(() => null)
  const { headers } = response
  const authenticate = headers.get('www-authenticate')
  const challenge = decodeChallenge({ header: headers.get(X402_HEADERS.required), body, authenticate })
  return mpp?.addOffers(challenge, asked.get('accept-payment'), now()) ?? challenge
}
