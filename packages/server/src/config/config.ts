import { ADDRESS_PATTERN, BASE, findNetwork, NETWORKS, type PaidOperationId } from '@touchstone402/shared'
import { z } from 'zod'
import { type McpConfig, mcpSettings, readMcp } from './mcpSettings.ts'
import {
  type DirectoryConfig,
  directories,
  headers,
  httpUrl,
  integer,
  isHttpUrl,
  list,
  origin,
  prices,
  required,
} from './settingKinds.ts'
import { checkShopperSettings, readShopper, type ShopperConfig, shopperSettings } from './shopperSettings.ts'
import { readStorage, type StorageConfig, storageSettings } from './storageSettings.ts'

// They are read one after the other, every few seconds.
const MAX_WARM_TOKENS = 50
const isAddress = (text: string): text is `0x${string}` => ADDRESS_PATTERN.test(text)
const toLowerCase = (address: `0x${string}`): `0x${string}` => `0x${address.slice(2).toLowerCase()}`

const EnvironmentSchema = z
  .object({
    PUBLIC_URL: origin('the address that clients know the service by'),
    RPC_URLS: list('JSON-RPC URLs of the chain, comma-separated').refine(
      (urls) => urls.every(isHttpUrl),
      'must be http or https URLs',
    ),
    FACILITATOR_URL: httpUrl('the x402 facilitator that verifies and settles payments'),
    FACILITATOR_HEADERS: headers,
    PAY_TO: required('the address that is paid').regex(
      ADDRESS_PATTERN,
      'must be 0x and 40 hexadecimal digits',
    ),
    NETWORK: z
      .string()
      .default(BASE)
      .refine(
        (caip2) => caip2.startsWith('eip155:') && findNetwork(caip2) !== undefined,
        `must be one of ${NETWORKS.map(({ caip2 }) => caip2)
          .filter((caip2) => caip2.startsWith('eip155:'))
          .join(', ')}`,
      ),
    DIRECTORIES: directories,
    PRICES: prices,
    HOST: z.string().min(1, 'is empty').default('127.0.0.1'),
    PORT: integer(0, 65535, 8402),
    METRICS_HOST: z.string().min(1, 'is empty').default('127.0.0.1'),
    METRICS_PORT: integer(0, 65535, 0).optional(),
    LOG_LEVEL: z
      .enum(['debug', 'info', 'warn', 'error'], { error: 'must be debug, info, warn or error' })
      .default('info'),
    CONTACT: z.string().max(200, 'must be at most 200 characters').optional(),
    CRAWL_CONCURRENCY: integer(1, 256, 16),
    RATE_LIMIT_PER_MINUTE: integer(1, 100_000_000, 600),
    TRUST_PROXY: integer(0, 16, 0),
    WARM_TOKENS: z
      .string()
      .default('')
      .transform((text) =>
        text
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== ''),
      )
      .refine((items) => items.every(isAddress), 'must be addresses of tokens, comma-separated')
      .transform((items) => [...new Set(items.filter(isAddress).map(toLowerCase))])
      .refine((items) => items.length <= MAX_WARM_TOKENS, `must be at most ${MAX_WARM_TOKENS} tokens`),
    DEVELOPMENT_ALLOW_HOSTS: list('host:port pairs').optional(),
    ...storageSettings,
    ...shopperSettings,
    ...mcpSettings,
  })
  .superRefine(checkShopperSettings)

/** Everything that the environment decides. */
export type Config = StorageConfig & {
  publicUrl: string
  rpcUrls: readonly string[]
  facilitatorUrl: string
  /** Sent with every call to the facilitator; may hold credentials. */
  facilitatorHeaders: Readonly<Record<string, string>>
  payTo: string
  /** CAIP-2. */
  network: string
  directories: readonly DirectoryConfig[]
  prices: Readonly<Partial<Record<PaidOperationId, string>>>
  host: string
  port: number
  /** Where metrics are served; null: nowhere. */
  metrics: { host: string; port: number } | null
  logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** Where sellers learn who probes them. */
  contact: string
  crawlConcurrency: number
  rateLimitPerMinute: number
  /** Tokens whose transfers are kept read, lower case. */
  warmTokens: readonly `0x${string}`[]
  /** How many proxies stand in front. */
  trustProxy: number
  /** `host:port` pairs that may be dialled although they are private; for development alone. */
  developmentAllowHosts: readonly string[]
  /** Null where no test purchases are made. */
  shopper: ShopperConfig | null
  /** Null where no MCP servers are audited. */
  mcp: McpConfig | null
}

/** Reads the configuration; `problems` holds one line for each setting that is missing or wrong. */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
): { ok: true; config: Config } | { ok: false; problems: string[] } {
  const parsed = EnvironmentSchema.safeParse(environment)
  if (!parsed.success) {
    return {
      ok: false,
      problems: parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`),
    }
  }
  const { data } = parsed
  return {
    ok: true,
    config: {
      publicUrl: data.PUBLIC_URL,
      rpcUrls: data.RPC_URLS,
      facilitatorUrl: data.FACILITATOR_URL,
      facilitatorHeaders: data.FACILITATOR_HEADERS,
      payTo: data.PAY_TO,
      network: data.NETWORK,
      directories: data.DIRECTORIES,
      prices: data.PRICES,
      ...readStorage(data),
      host: data.HOST,
      port: data.PORT,
      metrics:
        environment.METRICS_PORT === undefined
          ? null
          : { host: data.METRICS_HOST, port: data.METRICS_PORT ?? 0 },
      logLevel: data.LOG_LEVEL,
      contact: data.CONTACT ?? `${data.PUBLIC_URL}/methodology`,
      crawlConcurrency: data.CRAWL_CONCURRENCY,
      rateLimitPerMinute: data.RATE_LIMIT_PER_MINUTE,
      warmTokens: data.WARM_TOKENS,
      trustProxy: data.TRUST_PROXY,
      developmentAllowHosts: data.DEVELOPMENT_ALLOW_HOSTS ?? [],
      shopper: readShopper(data),
      mcp: readMcp(data),
    },
  }
}
