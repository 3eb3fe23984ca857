import { bundleVictim } from '../../support/bundleVictim.ts'

// CommonJS packages expect these.
const BANNER = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const __dirname = import.meta.dirname`

/**
 * Bundles the victim and its packages into one file. It starts 400 times, and most of each start would be module loading.
 * @returns the file, and a function that removes it
 */
export async function buildVictim(): Promise<{ file: string; remove(): Promise<void> }> {
  return bundleVictim('kill', new URL('./victim.ts', import.meta.url), {
    noExternal: [/^(?!classic-level$)/],
    external: ['classic-level', 'pg-native'],
    banner: { js: BANNER },
  })
}
