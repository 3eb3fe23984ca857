import { findNetwork } from '@touchstone402/shared'
import { misconfigured } from '../errors.ts'
import { count, type Field, optional, ROOT, readField } from './fields.ts'
import { MAX_AUTHORIZATION_SECONDS, MAX_PRICE_FACTOR, type Policy, type PolicyInput } from './policyTypes.ts'

const usd: Field = { kind: 'usd' }
const flag: Field = { kind: 'flag' }
const host: Field = { kind: 'host' }
const hosts: Field = { kind: 'list', of: host }
const factor = count(1, MAX_PRICE_FACTOR)
const addresses: Field = { kind: 'list', of: { kind: 'address' } }
const network: Field = { kind: 'network' }
const oneOf = (...values: string[]): Field => ({ kind: 'oneOf', values })

const DEFAULTS: Policy = {
  maxPerPaymentUsd: '1.00',
  maxPerHostPerDayUsd: '1.00',
  maxPerReceiverPerDayUsd: null,
  maxPerDayUsd: '5.00',
  maxTotalUsd: null,
  askAboveUsd: null,
  hosts: {},
  networks: ['eip155:8453'],
  assets: [],
  allowHosts: [],
  denyHosts: [],
  allowReceivers: [],
  denyReceivers: [],
  minScore: 0,
  requireDeliveryAboveUsd: null,
  block: ['avoid'],
  onCaution: 'ask',
  onUnknown: {
    allowUpToUsd: '0.01',
    liveCheckUpToUsd: '0.10',
    maxPerDomainPerDayUsd: '0.10',
    maxPerDayUsd: '0.50',
  },
  newSeller: {
    perCallUsd: '0.10',
    perDayUsd: '0.50',
    allPerDayUsd: '1.00',
    deliveries: 3,
    priceFactor: 3,
  },
  onUnavailable: 'cached',
  uptoFacilitators: [],
  allowUpfrontUpToUsd: null,
  foreignCredentials: 'allow',
  maxAuthorizationSeconds: 600,
  allowInsecureHttp: false,
  pinReceivers: true,
  maxStrikes: 0,
  strikeSeconds: 86_400,
  velocity: { perHostPerMinute: 30, identicalPerMinute: 20 },
}

const FIELDS: Record<keyof Policy, Field> = {
  maxPerPaymentUsd: usd,
  maxPerHostPerDayUsd: usd,
  maxPerReceiverPerDayUsd: { kind: 'nullable', of: usd },
  maxPerDayUsd: usd,
  maxTotalUsd: { kind: 'nullable', of: usd },
  askAboveUsd: { kind: 'nullable', of: usd },
  hosts: {
    kind: 'map',
    keys: host,
    of: {
      kind: 'object',
      fields: {
        maxPerPaymentUsd: optional(usd),
        maxPerDayUsd: optional(usd),
        priceFactor: optional(factor),
        askAboveUsd: optional(usd),
      },
    },
  },
  networks: { kind: 'list', of: network, least: 1 },
  assets: {
    kind: 'list',
    of: {
      kind: 'object',
      fields: {
        network,
        address: { kind: 'address' },
        name: { kind: 'text' },
        version: { kind: 'text' },
        decimals: count(0, 36),
      },
    },
  },
  allowHosts: hosts,
  denyHosts: hosts,
  allowReceivers: addresses,
  denyReceivers: addresses,
  minScore: count(0, 100),
  requireDeliveryAboveUsd: { kind: 'nullable', of: usd },
  block: { kind: 'list', of: oneOf('avoid', 'caution', 'unknown') },
  onCaution: oneOf('ask', 'allow', 'block'),
  onUnknown: {
    kind: 'object',
    defaults: DEFAULTS.onUnknown,
    fields: {
      allowUpToUsd: usd,
      liveCheckUpToUsd: usd,
      maxPerDomainPerDayUsd: usd,
      maxPerDayUsd: usd,
    },
  },
  newSeller: {
    kind: 'object',
    defaults: DEFAULTS.newSeller,
    fields: {
      perCallUsd: usd,
      perDayUsd: usd,
      allPerDayUsd: usd,
      deliveries: count(1, 1000),
      priceFactor: factor,
    },
  },
  onUnavailable: oneOf('cached', 'block'),
  uptoFacilitators: addresses,
  allowUpfrontUpToUsd: { kind: 'nullable', of: usd },
  foreignCredentials: oneOf('allow', 'refuse'),
  maxAuthorizationSeconds: count(1, MAX_AUTHORIZATION_SECONDS),
  allowInsecureHttp: flag,
  pinReceivers: flag,
  maxStrikes: count(0, 1000),
  strikeSeconds: count(1, 31_536_000),
  velocity: {
    kind: 'object',
    defaults: DEFAULTS.velocity,
    fields: { perHostPerMinute: count(1, 100_000), identicalPerMinute: count(1, 100_000) },
  },
}

/** The fields of {@link PolicyInput}; omitted ones get safe defaults. */
export const POLICY_FIELDS = { kind: 'object', fields: FIELDS, defaults: DEFAULTS } satisfies Field

/**
 * Validates a policy and fills in the defaults.
 * @throws ConfigurationError naming each invalid field, its value and the expected one
 * @example
 * const policy = parsePolicy({ maxPerPaymentUsd: '0.05' })
 */
export function parsePolicy(input: PolicyInput | unknown = {}): Policy {
  const problems: string[] = []
  const report = (path: string, problem: string) => void problems.push(`policy.${path}: ${problem}`)
  // A policy file may name its schema.
  const { $schema, ...given } = Object(input) as { $schema?: unknown }
  if ($schema !== undefined && typeof $schema !== 'string') report('$schema', 'expected a text')
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const policy = readField(POLICY_FIELDS, isObject ? given : input, ROOT, report) as Policy
  if (problems.length > 0) throw misconfigured(problems.join('; '))
  const listed = new Set(policy.assets.map((asset) => asset.network))
  const bare = policy.networks.find((one) => findNetwork(one) === undefined && !listed.has(one))
  if (bare !== undefined) {
    throw misconfigured(`policy.networks: the USDC of ${bare} is not known; list its asset in policy.assets`)
  }
  // Neither lists nor objects are shared with the defaults or the caller.
  return structuredClone(policy)
}
