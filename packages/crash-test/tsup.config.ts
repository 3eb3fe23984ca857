import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', main: 'src/cli/main.ts' },
  format: 'esm',
  target: 'node20',
  splitting: true,
  treeshake: true,
  noExternal: [/^@touchstone402\/shared/, /^zod/, /^tldts/],
  // Sources leave out what is not used, such as the schemas.
  esbuildOptions(options) {
    options.conditions = ['source', 'import', 'default']
  },
})
