import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Options } from 'tsup'

/** Native packages of the server are found from here. */
const SERVER = fileURLToPath(new URL('../../packages/server/node_modules/', import.meta.url))

/** Packages with native binaries, which no bundle can hold. */
const NATIVE = ['@photostructure/sqlite', '@resvg/resvg-js', 'pg-native', 'secp256k1']

/** Defines `require`, `__filename` and `__dirname`, which CommonJS packages use, in an ES module. */
const COMMONJS = `import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.url)
const __dirname = import.meta.dirname`

/** The thread of the store, which is looked for beside the program. */
const THREAD = fileURLToPath(new URL('../../packages/server/src/services/unitsThread.ts', import.meta.url))

/**
 * Bundles a program that starts many times into one file, which needs no loader of TypeScript.
 * @param name name of the campaign, which no other bundle of this process has
 * @returns the file, its folder, and a function that removes both
 */
export async function bundleVictim(name: string, entry: URL) {
  const folder = join(SERVER, `.${name}-${randomUUID()}`)
  await bundle(folder, {
    entry: { victim: fileURLToPath(entry), unitsThread: THREAD },
    splitting: false,
    esbuildOptions(options) {
      options.conditions = ['source']
    },
    noExternal: [new RegExp(`^(?!(${NATIVE.join('|')})$)`)],
    external: NATIVE,
    banner: { js: COMMONJS },
  })
  return {
    file: join(folder, 'victim.js'),
    folder,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Bundles a program for Node into a folder. */
export async function bundle(folder: string, options: Options): Promise<void> {
  await build({
    config: false,
    silent: true,
    clean: false,
    outDir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    ...options,
  })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
}

let payer: Promise<string> | undefined

/** Returns the file of the paying process of `payer.ts`, bundled once. It goes with this process. */
export function bundlePayer(): Promise<string> {
  payer ??= bundleVictim('payer', new URL('./payer.ts', import.meta.url)).then(({ file, folder }) => {
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    return file
  })
  return payer
}
