import { BASE, findNetwork, NETWORKS } from '@touchstone402/shared'
import { z } from 'zod'
import { HOST_DIRECTORY } from '../facts/facts.ts'
import { checkTogether, developmentSettings } from './checkTogether.ts'
import { egressSettings, readEgress } from './egressSettings.ts'
import { logSettings, readLog } from './logSettings.ts'
import { checkOperatorSettings, developmentOperator, operatorSettings } from './operatorSettings.ts'
import { CONTRACT_PRICES, prices } from './priceSettings.ts'
import { realClientSettings } from './realClientSettings.ts'
import {
  address,
  canPay,
  describeProblems,
  headers,
  httpUrl,
  integer,
  list,
  optionalList,
  optionalUrl,
  origin,
  stopSettings,
  text,
  toSources,
  urls,
  withoutEmpty,
} from './settingKinds.ts'
import { checkShopperSettings, readShopper, shopperSettings } from './shopperSettings.ts'
import { type Environment, readStorage, storageSettings } from './storageSettings.ts'
import { readTokenPages, tokenSettings } from './tokenSettings.ts'

/** Chainalysis' oracle on Base. Source: https://go.chainalysis.com/chainalysis-oracle-docs.html */
const SANCTIONS_ORACLE = '0x3A91A31cB3dC49b4db9Ce721F50a9D076c8D739B'
const DIRECTORIES = 'such as "bazaar=https://…,402index=https://…,file=/path/urls.txt"'
const EVM_NETWORKS = NETWORKS.map(({ caip2 }) => caip2).filter((caip2) => caip2.startsWith('eip155:'))

const MEGABYTE = 1024 * 1024

const EnvironmentSchema = z
  .object({
    PUBLIC_URL: origin('the public address of the service'),
    RPC_URLS: urls('JSON-RPC URLs of the chain, comma-separated'),
    FACILITATOR_URL: httpUrl('the x402 facilitator that verifies and settles payments'),
    FACILITATOR_HEADERS: headers,
    PAY_TO: address('the address that is paid').refine(
      canPay,
      'is an address that nobody can pay from: payments to it would be lost',
    ),
    NETWORK: z
      .string()
      .default(BASE)
      .refine(
        (caip2) => EVM_NETWORKS.includes(caip2) && findNetwork(caip2) !== undefined,
        `must be one of ${EVM_NETWORKS.join(', ')}`,
      ),
    ...operatorSettings,
    DIRECTORIES: list(DIRECTORIES)
      .transform(toSources(['bazaar', '402index', 'x402-list', 'file'], (kind) => kind))
      .refine(
        (sources) => sources.every(({ name }) => name !== HOST_DIRECTORY),
        `must not name a directory "${HOST_DIRECTORY}", which is what hosts themselves declare`,
      ),
    PRICES: prices,
    CONFIRM_SETTLEMENTS: z.enum(['before', 'after'], { error: 'must be before or after' }).optional(),
    HOST: text().default('127.0.0.1'),
    PORT: integer(0, 65535, 8402),
    METRICS_HOST: text().default('127.0.0.1'),
    METRICS_PORT: integer(0, 65535, 0).optional(),
    LOG_LEVEL: z
      .enum(['debug', 'info', 'warn', 'error'], { error: 'must be debug, info, warn or error' })
      .default('info'),
    OTEL_EXPORTER_OTLP_ENDPOINT: optionalUrl('the collector of traces'),
    ...stopSettings,
    CRAWL_CONCURRENCY: integer(1, 256, 16),
    ANSWER_CACHE_MB: integer(8, 65_536, 192),
    RATE_LIMIT_PER_MINUTE: integer(1, 100_000_000, 600),
    TRUST_PROXY: integer(0, 16, 0),
    CONNECTIONS_PER_CLIENT: integer(1, 10_000, 256),
    SANCTIONS_ORACLE: address('the contract that lists sanctioned addresses').default(SANCTIONS_ORACLE),
    ...tokenSettings,
    MAP: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
    ...developmentSettings,
    ...egressSettings,
    ...realClientSettings,
    ...storageSettings,
    ...shopperSettings,
    MCP_DIRECTORIES: optionalList().transform(toSources(['registry', 'file'], (kind) => `mcp-${kind}`)),
    NPM_REGISTRY: optionalUrl('the registry with the packages of MCP servers'),
    NPM_DOWNLOADS_URL: optionalUrl('the source of weekly download counts'),
    ...logSettings,
  })
  .superRefine(checkShopperSettings)
  .superRefine(checkOperatorSettings)
  .superRefine(checkTogether)

/** Settings of the service, by name. */
export const SETTINGS: Readonly<Record<string, z.ZodType>> = EnvironmentSchema.shape

/** Configuration of the service. */
export type Config = Readonly<ReturnType<typeof toConfig>>

/** Configuration of the MCP audits. */
export type McpConfig = NonNullable<Config['mcp']>

function toConfig(settings: z.infer<typeof EnvironmentSchema>, environment: Environment) {
  const { METRICS_HOST, METRICS_PORT = 0 } = settings
  return {
    ...readStorage(settings),
    publicUrl: settings.PUBLIC_URL,
    rpcUrls: settings.RPC_URLS,
    facilitatorUrl: settings.FACILITATOR_URL,
    /** Sent with every facilitator request; may hold credentials. */
    facilitatorHeaders: settings.FACILITATOR_HEADERS,
    payTo: settings.PAY_TO,
    /** CAIP-2. */
    network: settings.NETWORK,
    directories: settings.DIRECTORIES,
    /** Price of each paid operation in dollars. */
    prices: {
      ...CONTRACT_PRICES,
      ...settings.PRICES,
    },
    /** Whether settlements are confirmed on chain before or after delivery; null for a choice by price. */
    confirmSettlements: settings.CONFIRM_SETTLEMENTS ?? null,
    host: settings.HOST,
    port: settings.PORT,
    /** Address of the metrics; null to serve none. */
    metrics: environment.METRICS_PORT === undefined ? null : { host: METRICS_HOST, port: METRICS_PORT },
    logLevel: settings.LOG_LEVEL,
    /** Collector of traces; null to trace nothing. */
    tracesUrl: settings.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    /** Time for the process to end after a signal. */
    stopMs: settings.STOP_SECONDS * 1000,
    /** Who runs the service, and a `mailto:` or `https:` URL that reaches them. */
    operator: { name: settings.OPERATOR_NAME, contact: settings.OPERATOR_CONTACT },
    /** Days within which disputes are answered, as pages promise it. */
    disputeDays: settings.DISPUTE_DAYS,
    /** Null to state none. */
    dataLicense: settings.DATA_LICENSE ?? null,
    crawlConcurrency: settings.CRAWL_CONCURRENCY,
    /** Memory for cached free answers. */
    answerCacheBytes: settings.ANSWER_CACHE_MB * MEGABYTE,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    /** Contract on Base that answers `isSanctioned(address)`. */
    sanctionsOracle: settings.SANCTIONS_ORACLE,
    /** Tokens whose transfers are read ahead, in lower case. */
    warmTokens: settings.WARM_TOKENS,
    /** Tokens whose last finished day is read, in lower case. */
    tokenPages: readTokenPages(settings.TOKEN_PAGES, settings.NETWORK),
    /** Ways out of this machine to sellers. */
    egress: readEgress(settings),
    /** Programs that are run as clients; null for those that are installed. */
    realClients: settings.REAL_CLIENTS ?? null,
    /** Number of proxies in front. */
    trustProxy: settings.TRUST_PROXY,
    /** Maximum number of connections of an address, without a proxy in front. */
    connectionsPerClient: settings.CONNECTIONS_PER_CLIENT,
    /** `host:port` pairs that may be reached at private addresses; for development only. */
    developmentAllowHosts: settings.DEVELOPMENT_ALLOW_HOSTS ?? [],
    /** Whether the leader publishes the map of all verdicts. */
    hasMap: settings.MAP === 'on',
    /** Null to make no test purchases. */
    shopper: readShopper(settings),
    /** Null to audit no MCP servers. */
    mcp: settings.MCP_DIRECTORIES.length === 0 ? null : { directories: settings.MCP_DIRECTORIES },
    npm: {
      /** URL of the registry; null for the one this machine's npm is configured for. */
      registry: settings.NPM_REGISTRY ?? null,
      /** URL of weekly download counts; null to skip them. */
      downloadsUrl: settings.NPM_DOWNLOADS_URL ?? null,
    },
    log: readLog(settings),
  }
}

/** Parses the configuration. `problems` has one line per missing or wrong setting. */
export function readConfig(
  environment: Environment,
): { ok: true; config: Config } | { ok: false; problems: string[] } {
  const given = { ...developmentOperator(environment.PUBLIC_URL), ...withoutEmpty(SETTINGS, environment) }
  const parsed = EnvironmentSchema.safeParse(given)
  if (!parsed.success) return { ok: false, problems: describeProblems(parsed.error) }
  return { ok: true, config: toConfig(parsed.data, given) }
}
