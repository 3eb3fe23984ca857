import { ADDRESS_PATTERN, findNetwork, usdToAtomic } from '@touchstone402/shared'
import * as z from 'zod/mini'
import { ConfigurationError } from '../errors.ts'
import type { Policy, PolicyInput } from './policyTypes.ts'

const isUsd = (text: string): boolean => {
  try {
    usdToAtomic(text)
    return true
  } catch {
    return false
  }
}

const UsdSchema = z
  .string()
  .check(z.refine(isUsd, { error: 'expected dollars as a decimal string such as "0.50"' }))
const NetworkSchema = z
  .string()
  .check(z.regex(/^eip155:[1-9][0-9]{0,15}$/, { error: 'expected an EVM network such as "eip155:8453"' }))
const AddressSchema = z
  .string()
  .check(z.regex(ADDRESS_PATTERN, { error: 'expected 0x and 40 hexadecimal digits' }))
const HostSchema = z.string().check(
  z.regex(/^(\*\.)?[a-z0-9_.:[\]-]+$/, {
    error: 'expected a lower-case host such as "api.example.com" or "*.example.com"',
  }),
)
const listOf = <T extends z.ZodMiniType>(schema: T) => z._default(z.array(schema), [])
const count = (minimum: number, maximum: number) => z.int().check(z.minimum(minimum), z.maximum(maximum))

/** Schema of {@link PolicyInput}; omitted fields get safe defaults. */
export const PolicySchema = z.strictObject({
  $schema: z.optional(z.string()),
  maxPerPaymentUsd: z._default(UsdSchema, '1.00'),
  maxPerHostPerDayUsd: z._default(UsdSchema, '1.00'),
  maxPerReceiverPerDayUsd: z._default(z.nullable(UsdSchema), null),
  maxPerDayUsd: z._default(UsdSchema, '5.00'),
  maxTotalUsd: z._default(z.nullable(UsdSchema), null),
  networks: z._default(z.array(NetworkSchema).check(z.minLength(1)), ['eip155:8453']),
  assets: listOf(
    z.strictObject({
      network: NetworkSchema,
      address: AddressSchema,
      name: z.string().check(z.minLength(1)),
      version: z.string().check(z.minLength(1)),
      decimals: count(0, 36),
    }),
  ),
  allowHosts: listOf(HostSchema),
  denyHosts: listOf(HostSchema),
  allowReceivers: listOf(AddressSchema),
  denyReceivers: listOf(AddressSchema),
  minScore: z._default(count(0, 100), 0),
  block: z._default(z.array(z.enum(['avoid', 'caution', 'unknown'])), ['avoid']),
  onCaution: z._default(z.enum(['ask', 'allow', 'block']), 'ask'),
  onUnknown: z._default(
    z.strictObject({
      allowUpToUsd: z._default(UsdSchema, '0.01'),
      liveCheckUpToUsd: z._default(UsdSchema, '0.10'),
      maxPerDomainPerDayUsd: z._default(UsdSchema, '0.10'),
      maxPerDayUsd: z._default(UsdSchema, '0.50'),
    }),
    {
      allowUpToUsd: '0.01',
      liveCheckUpToUsd: '0.10',
      maxPerDomainPerDayUsd: '0.10',
      maxPerDayUsd: '0.50',
    },
  ),
  onUnavailable: z._default(z.enum(['cached', 'block']), 'cached'),
  maxAuthorizationSeconds: z._default(count(1, 86_400), 600),
  allowInsecureHttp: z._default(z.boolean(), false),
  pinReceivers: z._default(z.boolean(), true),
  maxStrikes: z._default(count(0, 1000), 0),
  strikeSeconds: z._default(count(1, 31_536_000), 86_400),
  velocity: z._default(
    z.strictObject({
      perHostPerMinute: z._default(count(1, 100_000), 30),
      identicalPerMinute: z._default(count(1, 100_000), 20),
    }),
    { perHostPerMinute: 30, identicalPerMinute: 20 },
  ),
})

/**
 * Validates a policy and fills in the defaults.
 * @throws ConfigurationError naming each invalid field
 * @example
 * const policy = parsePolicy({ maxPerPaymentUsd: '0.05' })
 */
export function parsePolicy(input: PolicyInput | unknown = {}): Policy {
  const parsed = PolicySchema.safeParse(input)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `policy.${describe(issue)}: ${issue.message}`)
    throw new ConfigurationError('CONFIGURATION', { details: problems.join('; ') })
  }
  const { $schema: _, ...policy } = parsed.data
  const listed = new Set(policy.assets.map(({ network }) => network))
  const bare = policy.networks.find((network) => findNetwork(network) === undefined && !listed.has(network))
  if (bare !== undefined) {
    throw new ConfigurationError('CONFIGURATION', {
      details: `policy.networks: the USDC of ${bare} is not known; list its asset in policy.assets`,
    })
  }
  return policy
}

function describe(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.')
  return issue.code === 'unrecognized_keys'
    ? [path, issue.keys.join(', ')].filter(Boolean).join('.')
    : path || '(root)'
}
