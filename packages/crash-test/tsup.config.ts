import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', main: 'src/cli/main.ts' },
  format: 'esm',
  clean: true,
  target: 'node20',
  splitting: true,
  treeshake: true,
  noExternal: [/^@touchstone402\/shared/, /^zod/, /^tldts/],
  // Sources leave out what is not used, such as the schemas.
  esbuildOptions(options) {
    options.conditions = ['source', 'import', 'default']
  },
  // Reading the workspace package as a path bundles its types, so that the published types do not import it.
  dts: {
    entry: ['src/index.ts'],
    compilerOptions: { baseUrl: '.', paths: { '@touchstone402/shared': ['../shared/src/index.ts'] } },
  },
})
