// Query parameters that several operations share.
import { WINDOWS } from './schemas/tokenAnswer.ts'

/** URL of an endpoint. */
export const endpoint = {
  kind: 'url',
  description: 'The x402 endpoint as an absolute http or https URL. Its query and fragment are ignored.',
  example: 'https://api.example.com/weather',
} as const

/** Maximum number of records of a feed. */
export const feedLimit = {
  kind: 'integer',
  min: 1,
  max: 1000,
  default: 100,
  clamp: true,
  description: 'Maximum number of records. Larger values are clamped.',
} as const

/** Where the next page of a feed begins. */
export const cursor = {
  kind: 'cursor',
  description:
    'Continues behind an earlier answer: its `nextCursor`, with the other parameters unchanged. Records that arrive meanwhile shift no page.',
} as const

/** Start of a feed. */
export const since = {
  kind: 'time',
  description:
    'First day or time that counts, in UTC, such as 2026-01-31T12:00:00Z. Takes the place of `days`.',
} as const

/** Start of the series of reports. */
export const sinceDay = {
  kind: 'time',
  description:
    'Leaves out the days of the series before this one, in UTC, such as 2026-01-31. By default none.',
} as const

/** Includes services that do not work. */
export const all = {
  kind: 'flag',
  description: '1 includes services that are dead, invalid or not measured. They are omitted by default.',
} as const

/** Maximum number of services. */
export const services = (byDefault: number) =>
  ({
    kind: 'integer',
    min: 1,
    max: 50_000,
    default: byDefault,
    clamp: true,
    description: 'Maximum number of services, best first. Larger values are clamped.',
  }) as const

/** Number of days of a feed. */
export const days = (byDefault: number) =>
  ({
    kind: 'integer',
    min: 1,
    max: 365,
    default: byDefault,
    description: 'Number of days to look back.',
  }) as const

/** npm packages. */
export const packages = {
  kind: 'packages',
  description: 'Names of npm packages, comma-separated, at most 50. By default all.',
} as const

/** Parameters of the token operations. */
export const ofToken = {
  token: {
    kind: 'address',
    required: true,
    description: 'Contract address of the ERC-20 token, on the network that the service is paid on.',
  },
  window: {
    kind: 'choice',
    choices: WINDOWS,
    default: '1h',
    description: 'Length of the window that ends at the newest block. The answer states its blocks.',
  },
  partial: {
    kind: 'flag',
    description:
      '1 accepts a partial answer, marked as incomplete, if the window cannot be read in time. By default such a call fails and is not charged.',
  },
} as const
