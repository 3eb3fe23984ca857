import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/main.ts', 'src/parts.ts', 'src/chain.ts'],
  format: 'esm',
  dts: { entry: ['src/index.ts', 'src/parts.ts', 'src/chain.ts'] },
  clean: true,
  target: 'node20',
  noExternal: ['@touchstone402/shared'],
  splitting: true,
})
