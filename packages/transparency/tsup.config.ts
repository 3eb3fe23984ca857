import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    publisher: 'src/publisher/index.ts',
    witness: 'src/witness/index.ts',
  },
  format: 'esm',
  target: 'node20',
  // Entries share their classes, so that `instanceof` holds between them.
  splitting: true,
})
