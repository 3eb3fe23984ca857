import { defineConfig, type Options } from 'tsup'

const common: Options = {
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  removeNodeProtocol: false,
  treeshake: true,
  // The package installs nothing: small dependencies are bundled at tested versions, and the caller chooses the
  // x402 libraries.
  noExternal: [/^@touchstone402\/shared/, /^@noble\//, /^zod/],
  external: [/^@x402\//, /^@modelcontextprotocol\//, /^@langchain\//, 'viem', 'pg', /^node:/],
  esbuildOptions(options) {
    options.conditions = ['source', 'import', 'default']
    options.mainFields = ['module', 'main']
  },
  // Reading the workspace package as a path bundles its types, so that the published types do not import it.
  dts: { compilerOptions: { baseUrl: '.', paths: { '@touchstone402/shared': ['../shared/src/index.ts'] } } },
}

export default defineConfig([
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      createGuardedFetch: 'src/seats/createGuardedFetch.ts',
      ledger: 'src/node/ledgerEntry.ts',
      postgres: 'src/node/postgres/postgresLedger.ts',
      'ai-sdk': 'src/node/aiSdk/createTools.ts',
      langchain: 'src/node/langchain/createTools.ts',
    },
  },
  // Built separately to keep the contract out of the chunks that every payment needs.
  {
    ...common,
    entry: {
      client: 'src/verdicts/client/createTouchstoneClient.ts',
      cli: 'src/node/cli/main.ts',
      mcp: 'src/node/mcp/createMcpServer.ts',
    },
  },
])
