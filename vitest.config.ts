import { defineConfig } from 'vitest/config'

// Vitest hands these to Node as well; `import` among them would make require() load ES modules.
const conditions = ['source', 'node']
const common = {
  retry: 0,
  environment: 'node' as const,
  // eventsource-parser publishes its TypeScript under our condition; node cannot load that by itself.
  server: {
    deps: { inline: ['eventsource-parser', /@modelcontextprotocol/, /@ai-sdk/, /node_modules\/ai\//] },
  },
}

export default defineConfig({
  test: {
    // Two cores: more workers only make timings lie.
    maxWorkers: 2,
    projects: [
      {
        resolve: { conditions },
        ssr: { resolve: { conditions } },
        test: {
          ...common,
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'examples/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { conditions },
        ssr: { resolve: { conditions } },
        test: {
          ...common,
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          setupFiles: ['e2e/setup.ts'],
          globalSetup: ['e2e/globalSetup.ts'],
          testTimeout: 400_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
