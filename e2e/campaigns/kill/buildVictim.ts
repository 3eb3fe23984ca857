import { bundleVictim, COMMONJS_BANNER } from '../../support/bundleVictim.ts'

/**
 * Bundles the victim and its packages into one file. It starts 400 times, and most of each start would be module loading.
 * @returns the file, and a function that removes it
 */
export async function buildVictim(): Promise<{ file: string; remove(): Promise<void> }> {
  return bundleVictim('kill', new URL('./victim.ts', import.meta.url), {
    noExternal: [/^(?!classic-level$)/],
    external: ['classic-level', 'pg-native'],
    banner: COMMONJS_BANNER,
  })
}
