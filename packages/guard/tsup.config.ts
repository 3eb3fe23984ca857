import { defineConfig, type Options } from 'tsup'

const common: Options = {
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  removeNodeProtocol: false,
  treeshake: true,
  // What stands between a wallet and the network installs nothing else: everything small is bundled in, at the
  // versions that were tested, and only the x402 libraries are left for the caller to choose.
  noExternal: [/^@touchstone402\/shared/, /^@noble\//, /^zod/],
  external: [/^@x402\//, /^@modelcontextprotocol\//, /^@langchain\//, 'viem', /^node:/],
  esbuildOptions(options) {
    options.conditions = ['source', 'import', 'default']
    options.mainFields = ['module', 'main']
  },
  // The published types name no workspace package: read as a path, it is bundled like any other file of ours.
  dts: { compilerOptions: { baseUrl: '.', paths: { '@touchstone402/shared': ['../shared/src/index.ts'] } } },
}

export default defineConfig([
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      createGuardedFetch: 'src/seats/createGuardedFetch.ts',
      ledger: 'src/node/ledgerEntry.ts',
      cli: 'src/node/cli/main.ts',
      mcp: 'src/node/mcp/createMcpServer.ts',
      'ai-sdk': 'src/node/aiSdk/createTools.ts',
      langchain: 'src/node/langchain/createTools.ts',
    },
  },
  // Built apart: the whole contract would come into the chunks that the guard needs for every payment.
  { ...common, entry: { client: 'src/verdicts/client/createTouchstoneClient.ts' } },
])
