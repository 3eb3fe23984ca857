import { findNetwork } from '@touchstone402/shared'
import { misconfigured } from '../errors.ts'
import { count, type Field, group, optional, ROOT, readField, type Setting, setting } from './fields.ts'

/** Greatest `priceFactor` that a policy may set. */
export const MAX_PRICE_FACTOR = 1000

/** Greatest `maxAuthorizationSeconds` that a policy may set. */
export const MAX_AUTHORIZATION_SECONDS = 86_400

const USD: Field = { kind: 'usd' }
const HOST: Field = { kind: 'host' }
const NETWORK: Field = { kind: 'network' }
const ADDRESS: Field = { kind: 'address' }
const FACTOR = count(1, MAX_PRICE_FACTOR)

const usd = (value: string) => setting(USD, value)
const flag = (value: boolean) => setting({ kind: 'flag' }, value)
const number = (from: number, to: number, value: number) => setting(count(from, to), value)
const oneOf = <const T extends string>(value: NoInfer<T>, ...values: T[]): Setting<T> =>
  setting({ kind: 'oneOf', values }, value)
const noLimit = setting<string | null>({ kind: 'nullable', of: USD }, null)
const noHosts = setting<string[]>({ kind: 'list', of: HOST }, [])
const noAddresses = setting<string[]>({ kind: 'list', of: ADDRESS }, [])

const HOST_FIELDS = {
  /** Maximum dollars for one payment. */
  maxPerPaymentUsd: optional<string>(USD),
  /** Maximum dollars in any 24 hours, for all hosts of the entry together. */
  maxPerDayUsd: optional<string>(USD),
  /** A price above so many times the usual one needs approval. */
  priceFactor: optional<number>(FACTOR),
  /** A payment above so many dollars needs approval. */
  askAboveUsd: optional<string>(USD),
}

/**
 * Limits of one host, in place of those of all hosts. An omitted field leaves the general limit.
 * @example
 * const limits: HostLimits = { maxPerPaymentUsd: '0.50', askAboveUsd: '0.10' }
 */
export type HostLimits = {
  [Name in keyof typeof HOST_FIELDS]?: (typeof HOST_FIELDS)[Name]['default']
}

const ASSET_FIELDS = {
  /** CAIP-2, such as `eip155:8453`. */
  network: NETWORK,
  /** The contract. */
  address: ADDRESS,
  /** Name of the contract's EIP-712 domain. */
  name: { kind: 'text' },
  /** Version of the contract's EIP-712 domain. */
  version: { kind: 'text' },
  /** Decimals of its amounts. */
  decimals: count(0, 36),
} satisfies Record<string, Field>

/** A token besides USDC to pay with. It must be worth one dollar. */
type PolicyAsset = { [Name in keyof typeof ASSET_FIELDS]: Name extends 'decimals' ? number : string }

/**
 * The fields of a policy: what each may hold, its default and, as comments, what it means. Parser, types, JSON Schema and
 * the table of docs/policy.md follow from it. The latter two are compared with it, and the defaults in its comments too, by
 * `policyDocs.test.ts`.
 */
export const POLICY_FIELDS = group({
  /** Maximum dollars for one payment, as a decimal string. @default "1.00" */
  maxPerPaymentUsd: usd('1.00'),
  /** Maximum dollars for one host in any 24 hours. @default "1.00" */
  maxPerHostPerDayUsd: usd('1.00'),
  /** Maximum dollars for one receiver in any 24 hours, over all hosts and networks; null means no limit. @default null */
  maxPerReceiverPerDayUsd: noLimit,
  /** Maximum dollars in any 24 hours, over all networks. @default "5.00" */
  maxPerDayUsd: usd('5.00'),
  /** Maximum dollars over the ledger's lifetime; null means no limit. @default null */
  maxTotalUsd: noLimit,
  /**
   * Dollars above which a payment needs the approval of a person, up to `maxPerPaymentUsd`; null asks about no amount.
   * Approval lifts the limits of `newSeller` too. @default null
   */
  askAboveUsd: noLimit,
  /**
   * Limits of single hosts, by host or by `*.example.com` for its subdomains, which share one daily sum: `maxPerPaymentUsd`,
   * `maxPerDayUsd`, `priceFactor` and `askAboveUsd`. The narrowest entry holds. An entry lifts the limits of `newSeller`;
   * all other limits and the lists of denied hosts hold as before. @default {}
   */
  hosts: setting<Record<string, HostLimits>>(
    { kind: 'map', keys: HOST, of: { kind: 'object', fields: HOST_FIELDS } },
    {},
  ),
  /** Allowed networks by CAIP-2 id. Payments use their canonical USDC. @default ["eip155:8453"] */
  networks: setting<string[]>({ kind: 'list', of: NETWORK, least: 1 }, ['eip155:8453']),
  /** Dollar tokens besides USDC: network, address, EIP-712 name and version, decimals. @default [] */
  assets: setting<PolicyAsset[]>({ kind: 'list', of: { kind: 'object', fields: ASSET_FIELDS } }, []),
  /** Allowed hosts; empty allows all. `*.example.com` covers subdomains. @default [] */
  allowHosts: noHosts,
  /** Denied hosts. @default [] */
  denyHosts: noHosts,
  /** Allowed receivers; empty allows all. @default [] */
  allowReceivers: noAddresses,
  /** Denied receivers. @default [] */
  denyReceivers: noAddresses,
  /** Minimum trust score; above 0, endpoints without a score are refused. @default 0 */
  minScore: number(0, 100, 0),
  /**
   * Dollars above which a payment needs a delivered test purchase of the service, for at least a third of its price;
   * refused without a service and with an older verdict, which state none. Null needs none. @default null
   */
  requireDeliveryAboveUsd: noLimit,
  /** Verdicts to refuse without asking: `avoid`, `caution`, `unknown`. @default ["avoid"] */
  block: setting<('avoid' | 'caution' | 'unknown')[]>(
    { kind: 'list', of: oneOf('avoid', 'avoid', 'caution', 'unknown') },
    ['avoid'],
  ),
  /** Action on a `caution` verdict: `ask`, `allow` or `block`. `ask` without a handler refuses. @default "ask" */
  onCaution: oneOf('ask', 'ask', 'allow', 'block'),
  /**
   * With a service: limits where its evidence is thin, because a verdict is `unknown`, its receiver is new, or fewer than
   * 3 probes support it.
   */
  onUnknown: group({
    /** Dollars up to which a price is paid. @default "0.01" */
    allowUpToUsd: usd('0.01'),
    /** Dollars up to which a price is paid if a live check says safe; more is refused. @default "0.10" */
    liveCheckUpToUsd: usd('0.10'),
    /** Maximum dollars without a live check for one registrable domain in any 24 hours. @default "0.10" */
    maxPerDomainPerDayUsd: usd('0.10'),
    /** Maximum dollars without a live check in any 24 hours. @default "0.50" */
    maxPerDayUsd: usd('0.50'),
  }),
  /**
   * Limits of a seller without a track record: without a service, until its host has delivered `deliveries` calls that were
   * paid to the same receiver. Hosts of `allowHosts` and `hosts` are never new.
   */
  newSeller: group({
    /** Maximum dollars for one call. @default "0.10" */
    perCallUsd: usd('0.10'),
    /** Maximum dollars for its registrable domain in any 24 hours. @default "0.50" */
    perDayUsd: usd('0.50'),
    /** Maximum dollars for all new sellers in any 24 hours. @default "1.00" */
    allPerDayUsd: usd('1.00'),
    /** Delivered calls after which a seller is not new. @default 3 */
    deliveries: number(1, 1000, 3),
    /**
     * With or without a service, a price needs approval above so many times the median of what was paid at the endpoint.
     * Without a service, the first call to another endpoint of the host may cost `perCallUsd`, or so many times the dearest
     * call that was delivered there, whichever is more. @default 3
     */
    priceFactor: setting<number>(FACTOR, 3),
  }),
  /**
   * While the service is unreachable: `cached` uses unexpired signed verdicts, `block` refuses all payments.
   * @default "cached"
   */
  onUnavailable: oneOf('cached', 'cached', 'block'),
  /**
   * Addresses of facilitators whose `upto` offers are paid; empty pays none. The ceiling counts in full until the chain
   * shows what was collected. Needs the option `upto` of the guard. @default []
   */
  uptoFacilitators: noAddresses,
  /**
   * Maximum dollars for one payment of the flow `upfront`, which settles before the seller delivers; null pays none. Offers
   * that settle after delivery are preferred. @default null
   */
  allowUpfrontUpToUsd: noLimit,
  /**
   * Requests that carry an L402 token, which moves no money by itself: `allow` passes them with an event, `refuse` refuses
   * them. @default "allow"
   */
  foreignCredentials: oneOf('allow', 'allow', 'refuse'),
  /** Maximum lifetime of a payment authorization in seconds. @default 600 */
  maxAuthorizationSeconds: number(1, MAX_AUTHORIZATION_SECONDS, 600),
  /** Allows plain http to other machines. @default false */
  allowInsecureHttp: flag(false),
  /**
   * Refuses a changed receiver unless the verdict calls the new one stable; without a service it needs approval.
   * @default true
   */
  pinReceivers: flag(true),
  /** Tolerated paid calls without delivery at one endpoint. @default 0 */
  maxStrikes: number(0, 1000, 0),
  /**
   * Seconds for which a call without delivery counts. The first bars its endpoint for 5 minutes, the second for 2 hours,
   * later ones for a day, at most for this long. @default 86400
   */
  strikeSeconds: number(1, 31_536_000, 86_400),
  /** Maximum payments in any 60 seconds. */
  velocity: group({
    /** Payments to one host. @default 30 */
    perHostPerMinute: number(1, 100_000, 30),
    /** Payments for identical calls. @default 20 */
    identicalPerMinute: number(1, 100_000, 20),
  }),
})

/**
 * Spending rules of a wallet, as plain data; amounts are dollars as decimal strings.
 * @example
 * const { maxPerDayUsd }: Policy = guard.policy
 */
export type Policy = { -readonly [Name in keyof PolicyFields]: PolicyFields[Name]['default'] }
type PolicyFields = (typeof POLICY_FIELDS)['fields']

/**
 * A policy as written; omitted fields have safe defaults.
 * @example
 * const policy: PolicyInput = { maxPerDayUsd: '2.00', allowHosts: ['api.example.com'] }
 */
export type PolicyInput = {
  [K in keyof Policy]?: Policy[K] extends unknown[] | Record<string, HostLimits>
    ? Policy[K]
    : Policy[K] extends object
      ? Partial<Policy[K]>
      : Policy[K]
}

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
