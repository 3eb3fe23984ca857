import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A client that the league tests. */
export type LeagueClient = {
  /** Library with its version, and the integration. */
  name: string
  /** Whether the guard checks its payments. */
  guarded: boolean
  command: readonly string[]
}

// The bundled clients carry the libraries that they use.
const PACKAGE = dirname(createRequire(import.meta.url).resolve('@touchstone402/crash-test/package.json'))
const run = (file: string, ...args: string[]) => [
  process.execPath,
  join(PACKAGE, 'dist/clients', file),
  ...args,
]
const AGENT = join(PACKAGE, 'clients/agent.py')

/** Versions of the bundled libraries. */
export const VERSIONS = {
  'x402-fetch': '1.2.0',
  '@x402/fetch': '2.27.0',
  '@x402/axios': '2.11.0',
  mppx: '0.11.0',
} as const

type Library = keyof typeof VERSIONS

const stock = (library: Library): LeagueClient => ({
  name: `${library} ${VERSIONS[library]}`,
  guarded: false,
  command: run('main.js', library),
})
const guarded = (library: Library, integration: string): LeagueClient => ({
  name: `${library} ${VERSIONS[library]} with ${integration}`,
  guarded: true,
  command: run('main.js', library, integration),
})

/** The stock clients as their documentation uses them, and the guard in each integration. */
export const LEAGUE: readonly LeagueClient[] = [
  stock('x402-fetch'),
  stock('@x402/fetch'),
  stock('@x402/axios'),
  stock('mppx'),
  guarded('x402-fetch', 'guard.fetch'),
  guarded('@x402/fetch', 'guard.account'),
  guarded('@x402/fetch', 'guard.hooks'),
  guarded('@x402/fetch', 'createGuardedFetch'),
  guarded('@x402/axios', 'guard.axios'),
  guarded('mppx', 'guard.fetch'),
  { name: "Python's urllib with the guard's proxy", guarded: true, command: run('proxied.js', AGENT) },
]
