import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    errors: 'src/errors.ts',
    parts: 'src/parts.ts',
  },
  format: 'esm',
  target: 'node20',
  noExternal: [/^@touchstone402\/(shared|transparency)/],
  // Workspace packages are bundled from their sources, so that the build has no order.
  esbuildOptions(options) {
    options.conditions = ['source', 'import', 'default']
  },
})
