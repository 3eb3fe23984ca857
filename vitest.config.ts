import { configDefaults, defineConfig } from 'vitest/config'

// Vitest passes these to Node as well; with `import` among them require() would load ES modules.
const conditions = ['source', 'node']
const vite = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Its warnings are about source maps that dependencies leave out.
  logLevel: 'error' as const,
}
const STATE = 'packages/shared/src/testing/stateSetup.ts'
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
  setupFiles: ['e2e/setup.ts', STATE],
  globalSetup: ['e2e/globalSetup.ts'],
  testTimeout: 400_000,
  hookTimeout: 300_000,
  // Files share nothing but what a worker keeps for them. Processes, since a thread's children outlive it.
  isolate: false,
  pool: 'forks' as const,
}
/** Folders of the unit tests. */
const UNIT = ['packages/*/src', 'examples/*/src', 'scripts']
/** Tests that take minutes, or measure real time. */
const NIGHTLY = '**/*.nightly.test.ts'

export default defineConfig({
  test: {
    // For two cores. More workers distort timings.
    maxWorkers: 2,
    projects: [
      {
        ...vite,
        test: {
          ...common,
          name: 'unit',
          include: UNIT.map((folder) => `${folder}/**/*.test.ts`),
          exclude: [...configDefaults.exclude, NIGHTLY],
          setupFiles: ['packages/shared/src/testing/fuzzSetup.ts', STATE],
          globalSetup: ['packages/server/src/store/testing/globalSetup.ts'],
          // Importing takes longer than testing, so the files of a worker share their modules.
          pool: 'threads',
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        ...vite,
        test: {
          ...common,
          name: 'nightly',
          include: UNIT.map((folder) => `${folder}/${NIGHTLY}`),
          setupFiles: ['packages/shared/src/testing/fuzzSetup.ts', STATE],
          pool: 'forks',
          isolate: false,
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
      {
        ...vite,
        test: {
          ...endToEnd,
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, NIGHTLY],
        },
      },
      {
        ...vite,
        test: {
          ...endToEnd,
          name: 'nightly-e2e',
          include: [`e2e/${NIGHTLY}`],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
