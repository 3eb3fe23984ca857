import { defineConfig } from 'tsup'

export default defineConfig({
  // Apart from the index, so that only what dials connections bundles the address table.
  entry: {
    index: 'src/index.ts',
    addresses: 'src/specialAddresses.ts',
    'command-line': 'src/commandLine/index.ts',
    leaves: 'src/leaves/index.ts',
    map: 'src/map/index.ts',
    'map-write': 'src/map/write/index.ts',
    scan: 'src/scan/index.ts',
  },
  format: 'esm',
  target: 'node20',
})
