// Query parameters that several operations of the contract take.
import { WINDOWS } from './schemas/token.ts'

export const endpoint = {
  kind: 'url',
  description: 'The x402 endpoint as an absolute http or https URL; its query and fragment are ignored.',
  example: 'https://api.example.com/weather',
} as const

export const feedLimit = {
  kind: 'integer',
  min: 1,
  max: 1000,
  default: 100,
  clamp: true,
  description: 'How many records at the most; more than the maximum is clamped.',
} as const

export const all = {
  kind: 'flag',
  description: '1 includes services that are dead, invalid or not measured; without it they are left out.',
} as const

export const services = (byDefault: number) =>
  ({
    kind: 'integer',
    min: 1,
    max: 50_000,
    default: byDefault,
    clamp: true,
    description: 'How many services at the most, best first; more than the maximum is clamped.',
  }) as const

export const days = (byDefault: number) =>
  ({
    kind: 'integer',
    min: 1,
    max: 365,
    default: byDefault,
    description: 'How many days to look back.',
  }) as const

export const ofToken = {
  token: {
    kind: 'address',
    required: true,
    description: 'The ERC-20 token, by its contract address on the network that the service is paid on.',
  },
  window: {
    kind: 'choice',
    choices: WINDOWS,
    default: '1h',
    description: 'How far back from the newest block; the answer names the blocks.',
  },
  partial: {
    kind: 'flag',
    description:
      '1 takes what could be read in time, marked as incomplete; without it such a call is refused and not charged.',
  },
} as const
