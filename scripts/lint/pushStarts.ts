import type { Starters } from './findStarts.ts'

const PROCESS = 'a process'
const names = (what: string, ...list: readonly string[]) =>
  Object.fromEntries(list.map((name) => [name, what]))

/** Functions that start a process, a browser, a service or a database. An install or a chain is started as a process. */
export const STARTERS: Starters = {
  'node:child_process': names(
    PROCESS,
    'default',
    'exec',
    'execFile',
    'execFileSync',
    'execSync',
    'fork',
    'spawn',
    'spawnSync',
  ),
  'playwright-core': names('a browser', 'chromium', 'firefox', 'webkit'),
  'packages/server/src/services.ts': names('a service', 'startApp', 'startWorker'),
  'packages/server/src/store/testing/usePostgres.ts': names('a database', 'usePostgres'),
  'packages/server/src/store/testing/createEmptyDatabase.ts': names('a database', 'createEmptyDatabase'),
}

/** Functions that share what they start among the files of a worker. */
export const SHARED: readonly string[] = [
  'e2e/support/chain.ts#useChain',
  'e2e/support/economy.ts#useEconomy',
  'e2e/support/economy.ts#useService',
  'e2e/support/movedService.ts#useMovedService',
]

/** Functions that start something only after a fault, which push tests do not cause. */
export const AFTER_FAULT: readonly string[] = ['packages/server/src/lib/database.ts#findDamage']

/** At most this many end-to-end tests of a push start something of their own. */
export const MOST_END_TO_END = 6
/** At most this many unit tests do. The number may only shrink. */
export const MOST_UNIT = 6

/** Push tests that start something of their own, each with its reason. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'e2e/audited.test.ts': 'opens three pages in a browser: what a page is can be seen in nothing else',
  'packages/guard/src/node/defaultLedger.test.ts': '40 processes share one budget',
  'packages/guard/src/node/fileLedger.test.ts': 'two processes reserve from one ledger',
  'packages/guard/src/node/ledgerSegment.test.ts': 'a process is killed while it writes the ledger',
  'packages/guard/src/paying/signatures/recoverKey.test.ts':
    'an import loads no native code: seen in a process that has loaded nothing else',
  'packages/server/src/site/log.test.ts':
    "a stranger's verifier of 80 lines runs alone, without this project",
}
