import type { EconomyClock } from '../clock.ts'

/** Input of the registry. */
export type McpRegistryContext = {
  /** Host and port of the registry, which serves the source repositories as well. */
  readonly host: string
  readonly clock: Pick<EconomyClock, 'now'>
  readonly startedAt: number
}

/** An MCP server whose package changes as time goes on. */
type McpServerSpec = {
  readonly name: string
  readonly package: string
  readonly description: string
  readonly createdDaysAgo: number
  /** npm scripts of the release at a time, given as days before the start. */
  scriptsAt(daysAgo: number): Readonly<Record<string, string>>
}

const DAY_MS = 24 * 3_600_000
const VERSION = '1.4.0'

/** One that is safe, one that is risky from the start, and one that turns risky half-way. */
const SERVERS: readonly McpServerSpec[] = [
  {
    name: 'io.github.acme/files',
    package: '@acme/files',
    description: 'Reads and writes files of a folder.',
    createdDaysAgo: 400,
    scriptsAt: () => ({ build: 'tsc' }),
  },
  {
    name: 'io.github.acme/mail',
    package: 'acme-mail',
    description: 'Sends mail.',
    createdDaysAgo: 10,
    scriptsAt: () => ({ postinstall: 'node collect.js' }),
  },
  {
    name: 'io.github.acme/notes',
    package: 'acme-notes',
    description: 'Keeps notes.',
    createdDaysAgo: 300,
    // A day and a half before the start, between two daily audits.
    scriptsAt: (daysAgo) => (daysAgo > 1.5 ? { build: 'tsc' } : { build: 'tsc', install: 'node setup.js' }),
  },
]

/**
 * Answers a path of the MCP registry (`GET /v0/servers`), of the npm registry (`GET /{package}`) and of the source
 * repositories. Returns undefined where there is nothing.
 */
export function answerMcpRegistry(context: McpRegistryContext, pathname: string): object | undefined {
  if (pathname === '/v0/servers') {
    return {
      servers: SERVERS.map((spec) => describeServer(spec, context)),
      metadata: { count: SERVERS.length },
    }
  }
  if (pathname.startsWith('/acme/')) return { repository: pathname }
  const name = pathname.slice(1).replace('%2f', '/')
  const spec = SERVERS.find((server) => server.package === name)
  return spec && describePackage(spec, context)
}

const repositoryOf = ({ name }: McpServerSpec, { host }: McpRegistryContext) =>
  `http://${host}/acme/${name.split('/').at(-1)}`

/** Source: MCP registry, server.schema.json of 2025-09-29. */
function describeServer(spec: McpServerSpec, context: McpRegistryContext) {
  return {
    server: {
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json',
      name: spec.name,
      description: spec.description,
      version: VERSION,
      repository: { url: repositoryOf(spec, context), source: 'github' },
      packages: [
        { registryType: 'npm', identifier: spec.package, version: VERSION, transport: { type: 'stdio' } },
      ],
    },
    _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } },
  }
}

/** Source: npm registry API, package metadata. */
function describePackage(spec: McpServerSpec, context: McpRegistryContext) {
  const { clock, startedAt } = context
  const name = spec.package
  const dayOf = (daysAgo: number) => new Date(startedAt - daysAgo * DAY_MS).toISOString()
  const scripts = spec.scriptsAt((startedAt - clock.now()) / DAY_MS)
  const repository = { type: 'git', url: `git+${repositoryOf(spec, context)}.git` }
  const dist = {
    integrity: `sha512-${Object.keys(scripts).join('-')}`,
    signatures: [{ keyid: 'SHA256:one', sig: 'MEUC' }],
    attestations: {
      url: `http://${context.host}/attestations`,
      provenance: { predicateType: 'https://slsa.dev/provenance/v1' },
    },
  }
  const release = (version: string) => ({ name, version, license: 'MIT', repository, scripts, dist })
  // A release with other scripts is another version.
  const latest = 'install' in scripts ? '1.5.0' : VERSION
  return {
    _id: name,
    name,
    'dist-tags': { latest },
    versions: { [VERSION]: release(VERSION), [latest]: release(latest) },
    time: {
      created: dayOf(spec.createdDaysAgo),
      [VERSION]: dayOf(9),
      [latest]: dayOf(latest === VERSION ? 9 : 1.5),
    },
    maintainers: [{ name: 'zoe', email: 'zoe@acme.example' }],
  }
}
