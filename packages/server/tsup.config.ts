import { copyFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'

/**
 * Dependencies of many small modules. Bundled, a command loads only what it uses, in a fraction of the time. Only this
 * package checks their classes, so a second instance elsewhere does no harm. Native code and files stay outside.
 */
const MANY_FILES = ['jose', 'kysely', 'ofetch', /^viem/, /^zod/]

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    main: 'src/main.ts',
    testing: 'testing.ts',
    // Scripts of threads, loaded by URL.
    proberThread: 'src/probe/thread/proberThread.ts',
    chainThread: 'src/chain/chainThread.ts',
    unitsThread: 'src/services/unitsThread.ts',
    documentsThread: 'src/services/documents/documentsThread.ts',
  },
  format: 'esm',
  target: 'node20',
  noExternal: [/^@touchstone402\/(shared|transfers|transparency)/, ...MANY_FILES],
  splitting: true,
  onSuccess: async () => {
    await copyFile('src/site/style.css', 'dist/style.css')
  },
  // Workspace packages are bundled from their sources, so that the build has no order.
  esbuildOptions(options) {
    options.conditions = ['source', 'import', 'default']
  },
})
