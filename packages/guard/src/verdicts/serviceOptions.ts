import { isSecureUrl } from '@touchstone402/shared'
import { count, type Field, optional, readField, setting } from '../decide/fields.ts'
import { misconfigured } from '../errors.ts'
import type { FetchLike } from '../types.ts'
import type { VerdictMap } from './mapVerdicts.ts'

/**
 * The trust service.
 * @example
 * const service: ServiceOptions = { url: 'https://touchstone.example', jwksThumbprint: 'nCBu5B4cz7xHYnFyIWMF4BGDVnXyZlRfGhBVZAVBrdU' }
 */
export type ServiceOptions = {
  /** Base URL of the service; https, except on this machine. */
  url: string
  /**
   * Pinned RFC 7638 thumbprints of the service's keys, oldest first: once a newer one has signed, the former ones are
   * refused. Without them the first keys seen are trusted and kept.
   */
  jwksThumbprint?: string | readonly string[]
  /** Required issuer of signed verdicts. @default the origin of `url` */
  issuer?: string
  /** Timeout of one answer in ms. @default 3000 */
  timeoutMs?: number
  /** Receiver of live checks. Without it the first receiver paid is pinned. */
  payTo?: string
  /** Maximum dollars for one live check. @default '0.01' */
  maxLiveCheckUsd?: string
  /** Cache lifetime of verdicts in seconds. @default 60 */
  cacheSeconds?: number
  /** Sends requests to the service. @default the global fetch */
  fetch?: FetchLike
} & (
  | {
      /** How verdicts are found: `verify` asks the service for each endpoint. @default 'verify' */
      mode?: 'verify'
      map?: undefined
      askUnknown?: undefined
    }
  | {
      /** Looks verdicts up on this machine: no request names an endpoint, and an outage of the service stops no payment. */
      mode: 'map'
      /** The map, made by `createMapClient` of `@touchstone402/guard/map`. */
      map: VerdictMap
      /** Whether to ask the service, which then learns the endpoint, about endpoints that are not in the map. @default false */
      askUnknown?: boolean
    }
)

const thumbprint: Field = {
  kind: 'matching',
  matches: (text) => /^[\w-]{43}$/.test(text),
  expected: 'an RFC 7638 thumbprint of 43 characters',
}

/** The fields of {@link ServiceOptions}. */
export const SERVICE_FIELDS = {
  kind: 'object',
  fields: {
    url: {
      kind: 'matching',
      matches: isSecureUrl,
      expected: 'an https URL, or an http URL on this machine',
    },
    jwksThumbprint: optional({ kind: 'oneOrMore', of: thumbprint }),
    issuer: optional({ kind: 'text' }),
    timeoutMs: setting(count(1, 600_000), 3000),
    payTo: optional({ kind: 'address' }),
    maxLiveCheckUsd: setting({ kind: 'usd' }, '0.01'),
    cacheSeconds: setting(count(0, 86_400), 60),
    fetch: optional({ kind: 'function' }),
    mode: setting({ kind: 'oneOf', values: ['verify', 'map'] }, 'verify'),
    map: optional({ kind: 'having', methods: ['get', 'ready'], expected: 'a map of createMapClient' }),
    askUnknown: optional({ kind: 'flag' }),
  } satisfies Record<keyof ServiceOptions, Field>,
} as const satisfies Field

/** Service options with their defaults. */
export type ReadServiceOptions = ServiceOptions &
  Required<Pick<ServiceOptions, 'timeoutMs' | 'maxLiveCheckUsd' | 'cacheSeconds'>>

/**
 * Validates the options of the service and fills in the defaults.
 * @param given undefined reads TOUCHSTONE_URL
 * @returns null without a service
 * @throws ConfigurationError naming each invalid field, its value and the expected one
 */
export function readServiceOptions(given: ServiceOptions | undefined): ReadServiceOptions | null {
  const fromEnvironment = globalThis.process?.env?.TOUCHSTONE_URL
  // Scripts pass a variable that is not set as an empty text.
  const service = given ?? (fromEnvironment ? { url: fromEnvironment } : undefined)
  if (service === undefined) return null
  const problems: string[] = []
  const report = (path: string, problem: string) => void problems.push(`${path}: ${problem}`)
  const read = readField(SERVICE_FIELDS, service, 'service', report)
  problems.push(...checkMode(service))
  if (problems.length > 0) throw misconfigured(problems.join('; '))
  return read as ReadServiceOptions
}

function checkMode({ mode = 'verify', map, askUnknown }: Partial<ServiceOptions>): string[] {
  if (mode === 'map' && map === undefined)
    return ['service.map: missing; give createMapClient({ url }) of @touchstone402/guard/map']
  if (mode === 'verify' && (map !== undefined || askUnknown !== undefined))
    return ["service.map, service.askUnknown: expected with service.mode 'map' only"]
  return []
}
