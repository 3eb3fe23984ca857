import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Options } from 'tsup'

/** Native packages of the server are found from here. */
const SERVER = fileURLToPath(new URL('../../packages/server/node_modules/', import.meta.url))

/** Banner of bundles that hold CommonJS packages, which expect these. */
export const COMMONJS_BANNER = {
  js: `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const __dirname = import.meta.dirname`,
}

/**
 * Bundles a program that starts many times into one file, which needs no loader of TypeScript.
 * @param name name of the campaign, which no other bundle of this process has
 * @param packages which packages are part of the file. @default the project's own
 * @returns the file, its folder, and a function that removes both
 */
export async function bundleVictim(name: string, entry: URL, packages: Options = ONLY_OURS) {
  const folder = join(SERVER, `.${name}-${randomUUID()}`)
  await build({
    config: false,
    silent: true,
    clean: false,
    entry: { victim: fileURLToPath(entry) },
    outDir: folder,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    splitting: false,
    esbuildOptions(options) {
      options.conditions = ['source']
    },
    ...packages,
  })
  return {
    file: join(folder, 'victim.mjs'),
    folder,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

let payer: Promise<string> | undefined

/** Returns the file of the paying process of `payer.ts`, bundled once. It goes with this process. */
export function bundlePayer(): Promise<string> {
  payer ??= bundleVictim('payer', new URL('./payer.ts', import.meta.url), {
    noExternal: [/^(?!secp256k1$|pg-native$)/],
    external: ['secp256k1', 'pg-native'],
    banner: COMMONJS_BANNER,
  }).then(({ file, folder }) => {
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    return file
  })
  return payer
}

const ONLY_OURS: Options = { noExternal: [/^@touchstone402/, /^@noble\//], skipNodeModulesBundle: true }
