import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    main: 'src/main.ts',
    testing: 'testing.ts',
    // Scripts of threads, loaded by URL.
    proberThread: 'src/probe/thread/proberThread.ts',
    unitsThread: 'src/store/unitsThread.ts',
    documentsThread: 'src/services/documents/documentsThread.ts',
  },
  format: 'esm',
  target: 'node20',
  noExternal: ['@touchstone402/shared', '@touchstone402/transfers'],
  splitting: true,
  onSuccess: async () => {
    await copyFile('src/site/style.css', 'dist/style.css')
    await copyFile(
      createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'),
      'dist/redoc.js',
    )
  },
  // Workspace packages are bundled from their sources, so that the build has no order.
  esbuildOptions(options) {
    options.conditions = ['source', 'import', 'default']
  },
})
