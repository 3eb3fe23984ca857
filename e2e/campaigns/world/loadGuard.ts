import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { type Plugin, rolldown } from 'rolldown'
import { type Mutation, mutate } from './mutations.ts'

/** Globals that the guard sees in place of the real ones. */
const GLOBALS = [
  'globalThis',
  'Date',
  'setTimeout',
  'clearTimeout',
  'crypto',
  'fetch',
  'AbortSignal',
] as const

/** Everything of a process that a world simulates: globals by their name, and built-in modules by theirs. */
export type Seams = {
  readonly globals: Readonly<Record<(typeof GLOBALS)[number], unknown>>
  readonly modules: Readonly<Record<string, object>>
}

/** Puts the guard into a simulated process. Returns what its entry points export. */
export type GuardProgram = (seams: Seams) => object

const GUARD = fileURLToPath(new URL('../../../packages/guard/src/', import.meta.url))

const ENTRIES = [
  'index.ts',
  'integrations/createGuardedFetch.ts',
  'node/ledgerEntry.ts',
  'node/proxy/startProxy.ts',
  'node/proxy/operatorProofs.ts',
  'upto/createUpto.ts',
]

/** Files that stand upon sockets, which a world has not. What they do with them is for their own tests to show. */
const REPLACED: Readonly<Record<string, string>> = {
  'node/publicFetch.ts': 'export const createPublicFetch = () => fetch',
}

/**
 * Packages without time, chance or network. The others go into the bundle: payment libraries read the clock, draw nonces
 * and wait.
 */
const OUTSIDE = [/^node:/, /^viem/, /^@noble\//, /^zod/, /^secp256k1/, /^pg$/]

const ENTRY = '\0world'

/**
 * Bundles the guard's own source with the stock client of x402. In one file a lazy import takes no turn of the real event
 * loop, so two runs of a seed are equal; and its globals are parameters, so each simulated process has its own.
 * @param mutation undoes one rule in the source text; null for the guard as it is
 * @throws Error if the text of the mutation does not stand in its file
 */
export async function bundleGuard(mutation: Mutation | null): Promise<GuardProgram> {
  let isMutated = mutation === null
  const plugin: Plugin = {
    name: 'world',
    resolveId: (id) => (id === ENTRY ? id : undefined),
    load(id) {
      if (id === ENTRY)
        return ENTRIES.map((file) => `export * from ${JSON.stringify(GUARD + file)}`).join('\n')
      return id.startsWith(GUARD) ? REPLACED[id.slice(GUARD.length)] : undefined
    },
    transform(code, id) {
      if (!id.startsWith(GUARD)) return undefined
      const isOwn = mutation?.file === id.slice(GUARD.length)
      isMutated ||= isOwn
      const text = isOwn ? mutate(code, mutation) : code
      return text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    },
  }
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'node',
    cwd: GUARD,
    resolve: { conditionNames: ['source', 'import', 'node'] },
    external: OUTSIDE,
    plugins: [plugin],
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false })
  await bundle.close()
  if (!isMutated) throw new Error(`mutation ${mutation?.name}: no file of the guard is ${mutation?.file}`)
  const names = ['exports', 'require', ...GLOBALS].join(', ')
  const script = new Script(`(function (${names}) {${output[0].code}\n})`, {
    filename: join(GUARD, 'world.cjs'),
  })
  const outside = createRequire(join(GUARD, 'index.ts'))
  return ({ globals, modules }) => {
    const exports = {}
    const require = (name: string) => modules[name] ?? outside(name)
    script.runInThisContext()(exports, require, ...GLOBALS.map((name) => globals[name]))
    return exports
  }
}
