import { decodeBase64Json, isRecord, type OtherOffer } from '@touchstone402/shared'

/** A decoded MPP credential. */
export type Credential = {
  challenge: Record<string, unknown>
  payload: Record<string, unknown>
  source: unknown
  /** Name of the header that carries it, in lower case. */
  header: string
}

/** Decodes an MPP credential; undefined if it is not readable. */
export function readCredential({ header, value }: { header: string; value: string }): Credential | undefined {
  const [, token] = /^payment\s+([\w+/=-]+)$/i.exec(value.trim()) ?? []
  const { challenge, payload, source } = (token && decodeBase64Json(token)) || {}
  return isRecord(challenge) && isRecord(payload) ? { challenge, payload, source, header } : undefined
}

const ECHOED = ['id', 'realm', 'method', 'intent', 'expires', 'digest', 'opaque'] as const

/** Whether a credential echoes an approved challenge, in the header that the challenge names. */
export function answersChallenge(
  { challenge, source, header }: Credential,
  { network, raw: { params, request } }: OtherOffer,
  from: string,
): boolean {
  const echoed = typeof challenge.request === 'string' ? decodeBase64Json(challenge.request) : undefined
  return (
    ECHOED.every((name) => challenge[name] === params[name]) &&
    isSameJson(echoed, request) &&
    (source === undefined || `${source}`.toLowerCase() === `did:pkh:${network}:${from}`.toLowerCase()) &&
    header === (params.header ?? 'authorization').toLowerCase()
  )
}

function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b || typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [ours, theirs] = [Object.entries(a), Object.keys(b)]
  const isSame = ([key, value]: [string, unknown]) =>
    Object.hasOwn(b, key) && isSameJson(value, Reflect.get(b, key))
  return Array.isArray(a) === Array.isArray(b) && ours.length === theirs.length && ours.every(isSame)
}
