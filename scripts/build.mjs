// Builds the packages: JavaScript by tsup, types of the published packages by tsc. A step runs only if its sources changed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, root, run } from './setup.mjs'

const STAMPS = join(root, 'node_modules/.touchstone-built.json')
/** What every step depends on. */
const SHARED = ['pnpm-lock.yaml', 'tsconfig.base.json', 'tsconfig.json']
const bin = (name) => join(root, 'node_modules/.bin', name)

/** Sources of the generated types, which belong to the guard's. */
const CONTRACT = ['docs/openapi.json', 'packages/guard/writeContractTypes.mjs']

const sourcesOf = (name) => [`packages/${name}`, ...(name === 'guard' ? CONTRACT : [])]

/** Bundles a package with the workspace packages that it uses. */
function bundle(name, uses = []) {
  const folder = `packages/${name}`
  return {
    name: `JavaScript of ${name}`,
    sources: [...uses, name].flatMap(sourcesOf),
    outputs: [`${folder}/dist/index.js`],
    run() {
      rmSync(join(root, folder, 'dist'), { recursive: true, force: true })
      return run(bin('tsup'), [], { cwd: join(root, folder), quiet: true })
    },
  }
}

const contract = {
  name: 'types of the contract',
  sources: CONTRACT,
  outputs: ['packages/guard/generated/openapi.ts'],
  run: () => run(process.execPath, ['packages/guard/writeContractTypes.mjs'], { quiet: true }),
}
const bundles = [
  // The slowest first, so that both lanes end at about the same time.
  bundle('guard', ['transparency', 'shared']),
  bundle('server', ['transparency', 'shared', 'transfers']),
  bundle('crash-test', ['transparency', 'shared', 'guard']),
  bundle('transfers', ['transparency', 'shared']),
  bundle('shared'),
  bundle('transparency'),
]
const declarations = {
  name: 'declarations',
  sources: [
    ...['transparency', 'shared', 'guard', 'crash-test', 'transfers'].flatMap(sourcesOf),
    'tsconfig.types.json',
  ],
  outputs: ['.cache/types/guard/src/index.d.ts', '.cache/types/crash-test/src/index.d.ts'],
  run: () => run(bin('tsc'), ['-b', 'tsconfig.types.json'], { quiet: true }),
}
const types = {
  name: 'types of the published packages',
  sources: [...declarations.sources, 'scripts/writeTypes.mjs'],
  outputs: ['guard', 'crash-test', 'shared', 'transfers', 'transparency'].map(
    (name) => `packages/${name}/dist/index.d.ts`,
  ),
  run: () => run(process.execPath, ['scripts/writeTypes.mjs'], { quiet: true }),
}

/**
 * Installs if needed, then runs the steps whose sources changed or whose outputs are gone. Returns whether any ran.
 * Without `withTypes` the published declarations wait for a command that needs them.
 */
export async function ensureBuilt({ withTypes = true } = {}) {
  await ensureInstalled()
  const startedAt = Date.now()
  const stamps = readStamps()
  const files = new Map()
  let ran = 0
  let hasFailed = false
  async function make(step) {
    // Taken first: an edit during the step is not part of its result.
    const digest = digestOf(step.sources, files)
    const isThere = step.outputs.every((path) => existsSync(join(root, path)))
    if (isThere && stamps[step.name] === digest) return
    if (ran === 0) process.stderr.write('building packages …\n')
    ran += 1
    const stepStartedAt = Date.now()
    if ((await step.run()) !== 0) {
      process.stderr.write(`building ${step.name} failed\n`)
      hasFailed = true
      return
    }
    stamps[step.name] = digest
    mkdirSync(join(root, 'node_modules'), { recursive: true })
    writeFileSync(STAMPS, JSON.stringify(stamps))
    process.stderr.write(`  ${step.name}: ${secondsSince(stepStartedAt)} s\n`)
  }
  async function makeAll(steps, lanes) {
    const waiting = [...steps]
    const lane = async () => {
      for (let step = waiting.shift(); step !== undefined && !hasFailed; step = waiting.shift())
        await make(step)
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    if (hasFailed) process.exit(1)
  }
  await makeAll([contract], 1)
  await makeAll(withTypes ? [declarations, ...bundles] : bundles, 2)
  // Last, since bundling a package empties its dist.
  if (withTypes) await makeAll([types], 1)
  if (ran > 0) process.stderr.write(`building packages: done in ${secondsSince(startedAt)} s\n`)
  return ran > 0
}

const secondsSince = (startedAt) => ((Date.now() - startedAt) / 1000).toFixed(1)

function readStamps() {
  return existsSync(STAMPS) ? JSON.parse(readFileSync(STAMPS, 'utf8')) : {}
}

/** Returns the digest of the files below paths and of what all steps depend on; `known` keeps the digests of paths. */
function digestOf(paths, known) {
  const hash = createHash('sha256')
  for (const path of [...paths, ...SHARED]) {
    if (!known.has(path)) known.set(path, digestOfPath(path))
    hash.update(known.get(path))
  }
  return hash.digest('hex')
}

function digestOfPath(path) {
  const hash = createHash('sha256')
  for (const file of filesBelow(join(root, path))) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

/** Lists a file itself, or the sources and settings in a package's folder. */
function filesBelow(path) {
  if (!statSync(path).isDirectory()) return /\.(test\.tsx?|md)$/.test(path) ? [] : [path]
  return readdirSync(path)
    .filter((name) => !SKIPPED.has(name))
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
}
const SKIPPED = new Set(['dist', 'generated', 'node_modules'])
