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
const FUZZ = 'packages/shared/src/testing/fuzzSetup.ts'
const NATIVE = 'packages/server/src/testing/keepNative.ts'
const CHAINS = 'packages/transfers/src/testing/globalSetup.ts'
const POSTGRES = 'packages/server/src/store/testing/globalSetup.ts'

const common = {
  retry: 0,
  environment: 'node' as const,
  // Files of a worker share their modules, since importing takes longer than testing, and what `use…()` keeps for them.
  isolate: false,
  // How long a test may wait for an event. Nothing is decided by it but that a test hangs.
  expect: { poll: { timeout: 60_000 } },
  // eventsource-parser publishes its TypeScript under the `source` condition, which Node cannot load.
  server: {
    deps: { inline: ['eventsource-parser', /@modelcontextprotocol/, /@ai-sdk/, /node_modules\/ai\//] },
  },
}
const unit = {
  ...common,
  setupFiles: [FUZZ, STATE],
  globalSetup: [NATIVE, CHAINS],
  pool: 'threads' as const,
  testTimeout: 120_000,
  hookTimeout: 120_000,
}
const endToEnd = {
  ...common,
  setupFiles: ['e2e/setup.ts', STATE],
  globalSetup: ['e2e/globalSetup.ts', POSTGRES],
  // Processes, since a thread's children outlive it.
  pool: 'forks' as const,
  testTimeout: 400_000,
  hookTimeout: 300_000,
}

/** Folders of the unit tests. */
const UNIT = ['packages/*/src', 'examples/*/src', 'scripts']
/** Endings of test files that are not part of the push suite. */
const LATER = ['**/*.release.test.ts', '**/*.nightly.test.ts']
const inUnit = (ending: string) => UNIT.map((folder) => `${folder}/**/*${ending}`)

export default defineConfig({
  test: {
    // For two cores: while one waits for a seller, a chain or a timer, the others work.
    maxWorkers: 3,
    // Transformed modules are kept, so that the next run and the next suite only load them.
    experimental: { fsModuleCache: true },
    projects: [
      {
        ...vite,
        test: {
          ...unit,
          name: 'unit',
          include: inUnit('.test.ts'),
          exclude: [...configDefaults.exclude, ...LATER],
        },
      },
      {
        ...vite,
        test: {
          ...endToEnd,
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...LATER],
        },
      },
      {
        ...vite,
        test: {
          ...unit,
          name: 'release-unit',
          include: inUnit('.release.test.ts'),
          globalSetup: [NATIVE, CHAINS, POSTGRES],
          pool: 'forks',
        },
      },
      {
        ...vite,
        test: {
          ...endToEnd,
          name: 'release-e2e',
          include: ['e2e/**/*.release.test.ts'],
          globalSetup: [...endToEnd.globalSetup, 'e2e/releaseSetup.ts'],
        },
      },
      {
        ...vite,
        test: {
          ...unit,
          name: 'nightly-unit',
          include: inUnit('.nightly.test.ts'),
          globalSetup: [NATIVE, CHAINS, POSTGRES],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 600_000,
        },
      },
      {
        ...vite,
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
