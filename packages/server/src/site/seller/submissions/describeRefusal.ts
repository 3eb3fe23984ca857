import { ROBOTS_NAME } from '../../../domain/facts/optOut.ts'
import type { Submission } from './createSubmissions.ts'

type Refused = Extract<Submission, { state: 'refused' }>

const SENTENCES: Readonly<Record<Refused['reason'], string>> = {
  challenge: 'The challenge offers no payment terms.',
  challenge_malformed: 'The 402 answer is not a valid x402 challenge.',
  no_terms: 'The 402 answer has no payment terms.',
  not_paid: 'It answered without asking for payment.',
  refused: 'The connection was refused.',
  timeout: 'It did not answer in time.',
  connection_lost: 'The connection broke before the answer was complete.',
  tls_failed: 'Its certificate is not valid.',
  not_found: 'Nothing is at this path.',
  server_error: 'It answered with a fault of its own.',
  http_error: 'It answered with an error that is no challenge.',
  too_large: 'Its answer is too large for a challenge.',
  redirect_refused: 'It redirects to another place; submit that one.',
  dns_failed: 'The host name cannot be resolved.',
  address_refused: 'Its address is not public.',
  not_public: 'Its address is not public, or its port is not one that is probed.',
  blocked: 'It refuses our probes; allow them, then submit it again.',
  input_needed:
    'It answers neither a bare GET nor a bare POST with a challenge: declare its input in the OpenAPI document or the /.well-known/x402 of the host.',
  free_quota: 'It answered the unpaid call with data.',
  opted_out: `The host declines probes: its robots.txt disallows ${ROBOTS_NAME}, or its /.well-known/x402 says so.`,
  catch_all:
    'Its host asks for payment at any path, so only what its own OpenAPI document or /.well-known/x402 names is listed.',
  unsupported: 'Its challenge is of a form that is not supported.',
  own_fault: 'The probe failed on our side; submit it again later.',
}

/** Says why a submitted endpoint is not listed. */
export function describeRefusal({ reason, httpStatus }: Refused): string {
  if (httpStatus === null) return SENTENCES[reason]
  // Unmeasured where nothing is declared, since another method or input might be found.
  const shown = httpStatus === 404 || httpStatus === 410 ? 'not_found' : reason
  return `${SENTENCES[shown]} The answer was HTTP ${httpStatus}.`
}
