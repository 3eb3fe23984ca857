import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', parts: 'src/parts.ts' },
  format: 'esm',
  dts: true,
  clean: true,
  target: 'node20',
  noExternal: ['@touchstone402/shared'],
})
