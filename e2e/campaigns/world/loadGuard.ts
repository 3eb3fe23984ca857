import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import ts from 'typescript'
import { type Mutation, mutate } from './mutations.ts'

/** Everything of a process that a world simulates: globals by their name, and built-in modules by theirs. */
export type Seams = {
  readonly globals: Readonly<Record<GlobalName, unknown>>
  /** Built-in modules, and files of the guard by their path below `src`, that take the place of the real ones. */
  readonly modules: Readonly<Record<string, object>>
}

/** Globals that the files of a guard see in place of the real ones. */
const GLOBALS = [
  'globalThis',
  'Date',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'crypto',
  'fetch',
  'AbortSignal',
] as const
type GlobalName = (typeof GLOBALS)[number]

const PACKAGES = fileURLToPath(new URL('../../../packages/', import.meta.url))
const GUARD = join(PACKAGES, 'guard/src')

/** Payment libraries read the clock, draw nonces and wait, so they are loaded into the world too. */
const INSIDE = [join(PACKAGES, 'guard/src/'), join(PACKAGES, 'shared/src/'), `/node_modules/@x402/`]

/**
 * Loads the guard's own source into a simulated process, each time anew. Static and lazy imports alike become calls of
 * `require`, so that a lazy part takes no turn of the real event loop and two runs of a seed are equal.
 * @param mutation undoes one rule in the source text. @default the guard as it is
 * @returns what the file exports
 */
export function createLoader(seams: Seams, mutation: Mutation | null = null) {
  const loaded = new Map<string, { exports: unknown }>()
  const given = GLOBALS.map((name) => seams.globals[name])

  const load = (file: string): unknown => {
    const known = loaded.get(file)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    loaded.set(file, module)
    const { [file.slice(GUARD.length + 1)]: replaced } = seams.modules
    if (replaced !== undefined) module.exports = replaced
    else if (extname(file) === '.json') module.exports = JSON.parse(readFileSync(file, 'utf8'))
    else {
      const run = compile(file, mutation).runInThisContext()
      run(module.exports, requireFrom(file), module, file, dirname(file), ...given)
    }
    return module.exports
  }

  const requireFrom = (file: string) => {
    const outside = requireOutside(file)
    return (name: string): unknown => {
      if (seams.modules[name] !== undefined) return seams.modules[name]
      const path = findFile(file, name, outside)
      return INSIDE.some((place) => path.includes(place)) ? load(path) : outside(name)
    }
  }
  /** @param path below the guard's `src` */
  return (path: string): Record<string, unknown> => load(join(GUARD, path)) as Record<string, unknown>
}

// Looking files up takes longer than running them.
const found = new Map<string, string>()
const outsides = new Map<string, NodeJS.Require>()

function requireOutside(file: string): NodeJS.Require {
  const known = outsides.get(file) ?? createRequire(pathToFileURL(file))
  outsides.set(file, known)
  return known
}

function findFile(file: string, name: string, outside: NodeJS.Require): string {
  const key = `${file} ${name}`
  const known = found.get(key) ?? resolveFrom(file, name, outside)
  found.set(key, known)
  return known
}

function resolveFrom(file: string, name: string, outside: NodeJS.Require): string {
  if (name.startsWith('.')) {
    const path = resolve(dirname(file), name)
    return extname(path) === '' ? outside.resolve(name) : path
  }
  if (!name.startsWith('@touchstone402/shared')) return outside.resolve(name)
  const place = name.slice('@touchstone402/shared'.length)
  const { exports } = JSON.parse(readFileSync(join(PACKAGES, 'shared/package.json'), 'utf8'))
  const entry = exports[`.${place}`]
  return join(PACKAGES, 'shared', entry.source ?? entry)
}

const compiled = new Map<string, Script>()

function compile(file: string, mutation: Mutation | null): Script {
  const own = mutation?.file === file.slice(GUARD.length + 1) ? mutation : null
  const key = `${own?.name ?? ''} ${file}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const text = own === null ? readFileSync(file, 'utf8') : mutate(readFileSync(file, 'utf8'), own)
  const body = extname(file) === '.ts' ? toCommonJs(file, text) : text
  const names = ['exports', 'require', 'module', '__filename', '__dirname', ...GLOBALS].join(', ')
  const script = new Script(`(function (${names}) {${body}\n})`, { filename: file })
  compiled.set(key, script)
  return script
}

function toCommonJs(file: string, text: string): string {
  const compilerOptions = {
    module: ts.ModuleKind.CommonJS,
    target: ts.ScriptTarget.ES2022,
    esModuleInterop: true,
  }
  const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: file })
  return outputText.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
}
