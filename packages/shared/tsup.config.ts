import { defineConfig } from 'tsup'

export default defineConfig({
  // Apart from the index, so that only what dials connections bundles the address table.
  entry: { index: 'src/index.ts', addresses: 'src/specialAddresses.ts' },
  format: 'esm',
  dts: true,
  clean: true,
  target: 'node20',
})
