import { configDefaults, defineConfig } from 'vitest/config'

// Vitest passes these to Node as well; with `import` among them require() would load ES modules.
const conditions = ['source', 'node']
const common = {
  retry: 0,
  environment: 'node' as const,
  // eventsource-parser publishes its TypeScript under the `source` condition, which Node cannot load.
  server: {
    deps: { inline: ['eventsource-parser', /@modelcontextprotocol/, /@ai-sdk/, /node_modules\/ai\//] },
  },
}
const endToEnd = {
  ...common,
  setupFiles: ['e2e/setup.ts'],
  globalSetup: ['e2e/globalSetup.ts'],
  testTimeout: 400_000,
  hookTimeout: 300_000,
  // Files share nothing but what a worker keeps for them. Processes, since a thread's children outlive it.
  isolate: false,
  pool: 'forks' as const,
}
export default defineConfig({
  test: {
    // For two cores. More workers distort timings.
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
          ...endToEnd,
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, '**/*.nightly.test.ts'],
        },
      },
      {
        resolve: { conditions },
        ssr: { resolve: { conditions } },
        test: {
          ...endToEnd,
          name: 'nightly-e2e',
          include: ['e2e/**/*.nightly.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
