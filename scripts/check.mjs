// Runs every check besides the tests, two at a time: types, lint, import rules, what push tests start, unused code, the
// published packages, and the tests of guard, shared and the log on Node 24. Prints what a failed check says; --verbose prints it for all.
import { delimiter } from 'node:path'
import { ensureNode24 } from './node24.mjs'
import { pnpm, run } from './setup.mjs'

const print = process.argv.includes('--verbose') ? { stdout: 1 } : { quiet: true }
const npx = (...args) => run('npx', args, print)
const inPackage = (name, script) => pnpm(['--dir', `packages/${name}`, 'run', script], print)

/**
 * The compiler that takes a quarter of the time. It has no API, which bundlers and linters need, and pnpm would take it
 * for their peer, so it is none of the installed packages.
 */
const NATIVE_TYPESCRIPT = 'typescript@7.0.2'

/** Slowest first, so that both lanes end at about the same time. */
const CHECKS = [
  ['guard, shared and the log on Node 24', testOn24],
  ['types', () => npx('--yes', '--package', NATIVE_TYPESCRIPT, 'tsc', '--noEmit', '-p', 'tsconfig.json')],
  [
    'imports',
    () => npx('depcruise', 'packages', 'examples', 'e2e', 'bench', '--config', '.dependency-cruiser.mjs'),
  ],
  ['package of the guard', () => inPackage('guard', 'check:package')],
  ['size of the guard', () => inPackage('guard', 'size')],
  ['package of the crash test', () => inPackage('crash-test', 'check:package')],
  ['package of the log', () => inPackage('transparency', 'check:package')],
  ['size of the log', () => inPackage('transparency', 'size')],
  ['unused code', () => npx('knip')],
  ['lint', () => npx('biome', 'check', '.')],
  [
    'starts of push tests',
    () => run(process.execPath, ['--import', 'tsx', 'scripts/lint/checkStarts.ts'], print),
  ],
  ['advisories', () => pnpm(['audit', '--prod', '--audit-level', 'high', '--ignore-registry-errors'], print)],
]

/** Packages that run in other programs, and so under their version of Node. */
const ON_24 = ['guard', 'shared', 'transparency'].map((name) => `packages/${name}`)

async function testOn24() {
  const PATH = `${await ensureNode24()}${delimiter}${process.env.PATH}`
  const report = ['--reporter=default', '--reporter=json', '--outputFile.json=.report/node24.json']
  const tests = ['vitest', 'run', '--project', 'unit', ...report, ...ON_24]
  return run('npx', tests, { ...print, env: { PATH } })
}

const waiting = [...CHECKS]
const failed = []
async function runLane() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, check] = next
    const startedAt = Date.now()
    const code = await check()
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}: ${name}, ${seconds} s\n`)
    if (code !== 0) failed.push(name)
  }
}
await Promise.all([runLane(), runLane()])
process.stdout.write(failed.length === 0 ? 'every check passed\n' : `failed: ${failed.join(', ')}\n`)
process.exit(failed.length === 0 ? 0 : 1)
