import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

const VICTIM = fileURLToPath(new URL('./victim.ts', import.meta.url))
/** Native packages of the server are found from here. */
const SERVER = fileURLToPath(new URL('../../../packages/server/node_modules/', import.meta.url))
// CommonJS packages expect these.
const BANNER = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const __dirname = import.meta.dirname`

/**
 * Bundles the victim into one file. It starts 400 times, and most of each start would be module loading.
 * @returns the file, and a function that removes it
 */
export async function buildVictim(): Promise<{ file: string; remove(): Promise<void> }> {
  const directory = join(SERVER, `.kill-${process.pid}`)
  await build({
    config: false,
    silent: true,
    clean: false,
    entry: { victim: VICTIM },
    outDir: directory,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    splitting: false,
    noExternal: [/^(?!classic-level$)/],
    external: ['classic-level', 'pg-native'],
    banner: { js: BANNER },
    esbuildOptions(options) {
      options.conditions = ['source']
    },
  })
  return {
    file: join(directory, 'victim.mjs'),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
