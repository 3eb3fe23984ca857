import { InvalidUrlError } from '@touchstone402/shared'
import { errors } from 'undici'
import type { Cause, Outcome } from '../facts/facts.ts'
import { AddressRefusedError, DeadlineError, RedirectRefusedError, ResolveError, readCode } from './errors.ts'

/** Outcome of a probe and its cause. */
export type Finding = { readonly outcome: Outcome; readonly cause: Cause }

/** Not measured, because of a fault on our side. */
export const OWN_FAULT: Finding = { outcome: 'not_measured', cause: 'own_fault' }

const LOST: Finding = { outcome: 'down', cause: 'connection_lost' }

// Ordered by precedence when several addresses were tried: explicit refusals before silence.
const BY_CODE: readonly (readonly [RegExp, Finding])[] = [
  // Not EHOSTUNREACH: the unreachable hop may be ours.
  [/^ECONNREFUSED$/, { outcome: 'down', cause: 'refused' }],
  [
    /^(ERR_(TLS|SSL)|EPROTO$|CERT_|CERTIFICATE|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERROR_IN_CERT|INVALID_(CA|PURPOSE)|PATH_LENGTH)/,
    { outcome: 'down', cause: 'tls_failed' },
  ],
  [/^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/, { outcome: 'down', cause: 'too_large' }],
  [
    // A body shorter than its content-length counts as a lost connection.
    /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ERR_HTTP2_|UND_ERR_INFO|HPE_)/,
    LOST,
  ],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, { outcome: 'down', cause: 'timeout' }],
]

/**
 * Classifies a failed exchange.
 *
 * Anything that is not known to be the seller's fault is ours: an unreachable network or host, too many open files,
 * an unknown error.
 */
export function classifyFailure(error: unknown): Finding {
  if (error instanceof AddressRefusedError || error instanceof InvalidUrlError) {
    return { outcome: 'not_measured', cause: 'address_refused' }
  }
  if (error instanceof RedirectRefusedError) {
    return { outcome: error.isElsewhere ? 'not_measured' : 'down', cause: 'redirect_refused' }
  }
  if (error instanceof ResolveError) {
    return { outcome: error.isTheirs ? 'down' : 'not_measured', cause: 'dns_failed' }
  }
  if (error instanceof DeadlineError) return error.isOurs ? OWN_FAULT : { outcome: 'down', cause: 'timeout' }
  // Has no code if the first bytes are not HTTP.
  if (error instanceof errors.HTTPParserError) return LOST
  const codes = readCodes(error)
  return BY_CODE.find(([pattern]) => codes.some((code) => pattern.test(code)))?.[1] ?? OWN_FAULT
}

function readCodes(error: unknown): string[] {
  const inner = error instanceof AggregateError ? error.errors.flatMap(readCodes) : []
  const code = readCode(error)
  return inner.length > 0 || code === undefined ? inner : [code]
}
