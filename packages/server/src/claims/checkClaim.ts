import { isIP } from 'node:net'
import { ADDRESS_PATTERN, sameAddress } from '@touchstone402/shared'
import { describeBadSignature, findSigner } from '../audit/isSignedBy.ts'
import { isSignature } from '../domain/facts/rotation.ts'
import { DAY } from '../domain/facts/times.ts'
import { offeredReceivers } from '../domain/publish/offeredReceivers.ts'
import type { Store } from '../ports/store.ts'
import { isDevelopmentHost } from '../remote/isDevelopmentHost.ts'
import { CLAIM_FILE, claimMessage, claimName, hostnameOf } from './claimTexts.ts'
import type { ClaimFault, ClaimRequest } from './hostClaim.ts'

/** The texts that a host publishes at one place, or the reason why they could not be read. */
type Published =
  | { readonly ok: true; readonly texts: readonly string[] }
  | {
      readonly ok: false
      readonly code: string
      /** Completes "PLACE …". */
      readonly message: string
      /** Whether our network or resolver may be at fault. */
      readonly isOurs: boolean
    }

/** Reads what hosts publish to be claimed, under the address guard. Never rejects. */
type ClaimReader = {
  /** Reads the lines of a small text file; follows no redirect. */
  file(url: string, signal: AbortSignal): Promise<Published>
  /** Reads the TXT records of a name. */
  txt(name: string, signal: AbortSignal): Promise<Published>
}

export type CheckDeps = {
  readonly store: Pick<Store, 'host'>
  readonly reader: ClaimReader
  /** Public origin of the service. */
  readonly publicUrl: string
  /** `host:port` pairs or hosts that are read over plain HTTP; for development only. */
  readonly developmentHosts: readonly string[]
}

/** Maximum age of a signed date. */
const MAX_SIGNED_DAYS = 7
const DATE = /^\d{4}-\d{2}-\d{2}$/

/** Returns the URL of the file that a claimed host serves: HTTPS, except in development. */
export function claimFileUrl(
  { developmentHosts }: Pick<CheckDeps, 'developmentHosts'>,
  host: string,
): string {
  return `${isDevelopmentHost(host, developmentHosts) ? 'http' : 'https'}://${host}${CLAIM_FILE}`
}

/** Checks that a host publishes a token in its file or TXT record. Returns what is wrong, if anything is. */
export async function checkPublished(
  deps: CheckDeps,
  { host, method, token }: { host: string; method: 'file' | 'dns'; token: string },
  signal: AbortSignal,
): Promise<ClaimFault | undefined> {
  if (method === 'file') {
    const url = claimFileUrl(deps, host)
    return judge(url, 'line', token, await deps.reader.file(url, signal))
  }
  const name = hostnameOf(host)
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0) {
    return { parameter: 'method', code: 'no_name', message: 'an address has no TXT record; use a file' }
  }
  const place = claimName(host)
  return judge(place, 'TXT record', token, await deps.reader.txt(place, signal))
}

function judge(place: string, unit: string, token: string, published: Published): ClaimFault | undefined {
  if (!published.ok) {
    const { code, message, isOurs } = published
    return { parameter: 'method', code, message: `${place} ${message}`, isOurs }
  }
  if (published.texts.includes(token)) return undefined
  const isOther = published.texts.some((text) => text.startsWith('touchstone-claim='))
  return isOther
    ? { parameter: 'method', code: 'other_token', message: `${place} holds another token: expected ${token}` }
    : { parameter: 'method', code: 'no_token', message: `${place} has no ${unit} that is ${token}` }
}

/** Checks that an address is a receiver that a host offers now. */
export async function checkReceiver(
  { store }: Pick<CheckDeps, 'store'>,
  host: string,
  address: string,
): Promise<ClaimFault | undefined> {
  const { endpoints = [] } = (await store.host(host)) ?? {}
  if (offeredReceivers(endpoints).some((one) => sameAddress(one, address))) return undefined
  return {
    parameter: 'address',
    code: 'not_a_receiver',
    message: `${address} is not a receiver of ${host} now`,
  }
}

/** Checks the signature of a claim by a receiver. */
export async function checkSigned(
  deps: CheckDeps,
  { host, address, date, signature }: ClaimRequest,
  token: string,
  now: number,
): Promise<ClaimFault | undefined> {
  if (!ADDRESS_PATTERN.test(address)) {
    const message = 'expected 0x and 40 hexadecimal digits; other receivers claim by file or DNS'
    return { parameter: 'address', code: 'malformed', message }
  }
  const wrongDate = checkDate(date, now)
  if (wrongDate !== undefined) return wrongDate
  if (!isSignature(signature)) {
    return { parameter: 'signature', code: 'malformed', message: 'expected 0x and hexadecimal digits' }
  }
  const fault = await checkReceiver(deps, host, address)
  if (fault !== undefined) return fault
  const signer = await findSigner(claimMessage({ host, service: deps.publicUrl, date, token }), signature)
  if (signer === undefined) {
    const message = describeBadSignature(signature, 'a contract claims by file or DNS')
    return { parameter: 'signature', code: 'malformed', message }
  }
  if (sameAddress(signer, address)) return undefined
  const message = `for the text of this claim the signature is by ${signer}, not by ${address}: another key signed, or another text was signed`
  return { parameter: 'signature', code: 'other_key', message }
}

function checkDate(date: string, now: number): ClaimFault | undefined {
  const at = DATE.test(date) ? Date.parse(date) : Number.NaN
  if (Number.isNaN(at)) {
    return { parameter: 'date', code: 'malformed', message: 'expected the signed date, such as 2026-01-31' }
  }
  if (at <= now && now - at < MAX_SIGNED_DAYS * DAY) return undefined
  const message = `expected a date of the last ${MAX_SIGNED_DAYS} days, by UTC; sign the text of today`
  return { parameter: 'date', code: 'out_of_range', message }
}
