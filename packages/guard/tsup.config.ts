import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Options } from 'tsup'
import { mergeChunks } from './mergeChunks.ts'

// The description is the first text of a call of `fields.ts`, or the second behind a name.
const DESCRIPTION = /\b(f\.\w+\(\s*(?:'\w+',\s*)?)(?:'[^'\n]*'|"[^"\n]*")/g

/** Leaves the descriptions of schemas, which OpenAPI alone needs, out of the bundles. */
const withoutProse: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'without-prose',
  setup(build) {
    build.onLoad({ filter: /[\\/]shared[\\/]src[\\/]schemas[\\/]\w+\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(DESCRIPTION, "$1''"),
      loader: 'ts',
    }))
  },
}

const common: Options = {
  esbuildPlugins: [withoutProse],
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  removeNodeProtocol: false,
  treeshake: true,
  // The package installs nothing: small dependencies are bundled at tested versions, and the caller chooses the
  // x402 libraries.
  noExternal: [/^@touchstone402\/(shared|transparency)/, /^@noble\//, /^zod/],
  external: [/^@x402\//, /^@modelcontextprotocol\//, /^@langchain\//, /^viem/, 'pg', /^node:/],
  esbuildOptions(options) {
    options.conditions = ['source', 'import', 'default']
    options.mainFields = ['module', 'main']
  },
}

const ENTRIES = {
  index: 'src/index.ts',
  createGuardedFetch: 'src/integrations/createGuardedFetch.ts',
  'createGuardedFetch.node': 'src/node/createGuardedFetch.ts',
  account: 'src/node/readAccount.ts',
  policy: 'src/policyTools.ts',
  upto: 'src/upto/createUpto.ts',
  mpp: 'src/mpp/createMpp.ts',
  wallets: 'src/wallets/createWalletVerifier.ts',
  log: 'src/log/index.ts',
  ledger: 'src/node/ledgerEntry.ts',
  'map-file': 'src/node/mapFile.ts',
  postgres: 'src/node/postgres/postgresLedger.ts',
  'ai-sdk': 'src/node/aiSdk/createTools.ts',
  langchain: 'src/node/langchain/createTools.ts',
}
const PARTS = fileURLToPath(new URL('dist/parts', import.meta.url))

export default defineConfig([
  {
    ...common,
    entry: ENTRIES,
    outDir: PARTS,
    // Each chunk; `mergeChunks` does it for all of them.
    treeshake: false,
    onSuccess: () => mergeChunks(PARTS, Object.keys(ENTRIES), dirname(PARTS)),
  },
  // Alone, so that it carries nothing of the guard.
  { ...common, entry: { map: 'src/map/createMapClient.ts' } },
  // Alone, so that no chunk of a guard that pays holds a seller.
  { ...common, entry: { testing: 'src/node/testkit/index.ts' } },
  // Built separately to keep the contract out of the chunks that every payment needs.
  {
    ...common,
    entry: {
      client: 'src/verdicts/client/createTouchstoneClient.ts',
      mcp: 'src/node/mcp/createMcpServer.ts',
    },
  },
  // Alone, so that the public suffixes and the official schema of its scan are in no chunk of the others.
  {
    ...common,
    entry: { cli: 'src/node/cli/main.ts' },
    noExternal: [/^@touchstone402\/(shared|transparency)/, /^@noble\//, /^zod/, /^@x402\/core/],
    external: [/^@x402\/(?!core)/, /^@modelcontextprotocol\//, /^@langchain\//, 'viem', 'pg', /^node:/],
  },
])
