import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    main: 'src/main.ts',
    parts: 'src/parts.ts',
    // Worker script, loaded by URL.
    proberThread: 'src/adapters/probe/thread/proberThread.ts',
  },
  format: 'esm',
  dts: { entry: ['src/index.ts', 'src/parts.ts'] },
  clean: true,
  target: 'node20',
  noExternal: ['@touchstone402/shared', '@touchstone402/transfers'],
  splitting: true,
})
