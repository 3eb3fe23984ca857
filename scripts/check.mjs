// Runs every check besides the tests: lint, import rules, types, unused code, the published package.
import { pnpm, run } from './setup.mjs'

const print = { stdout: 1 }
const CHECKS = [
  ['lint', () => run('npx', ['biome', 'check', '.'], print)],
  [
    'floors',
    () =>
      run(
        'npx',
        ['depcruise', 'packages', 'examples', 'e2e', 'bench', '--config', '.dependency-cruiser.mjs'],
        print,
      ),
  ],
  ['types', () => run('npx', ['tsc', '--noEmit', '-p', 'tsconfig.json'], print)],
  ['unused', () => run('npx', ['knip'], print)],
  ['package', () => pnpm(['--dir', 'packages/guard', 'run', 'check:package'], print)],
  ['crash-test', () => pnpm(['--dir', 'packages/crash-test', 'run', 'check:package'], print)],
  ['size', () => pnpm(['--dir', 'packages/guard', 'run', 'size'], print)],
  ['advisories', () => pnpm(['audit', '--prod', '--audit-level', 'high', '--ignore-registry-errors'], print)],
]

const failed = []
for (const [name, check] of CHECKS) {
  process.stdout.write(`check: ${name}\n`)
  if ((await check()) !== 0) failed.push(name)
}
process.stdout.write(failed.length === 0 ? 'every check passed\n' : `failed: ${failed.join(', ')}\n`)
process.exit(failed.length === 0 ? 0 : 1)
