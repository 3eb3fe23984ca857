import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { rollup } from 'rollup'

/**
 * Puts together the chunks that always load together. esbuild makes one for each set of entries that reach a module, and
 * counts every lazy import as an entry: `./fetch` loaded 46 files, and Node resolves, reads and links each by itself.
 * @param parts folder of the entries and chunks; deleted
 */
export async function mergeChunks(parts: string, entries: readonly string[], dir: string): Promise<void> {
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((name) => [name, join(parts, `${name}.js`)])),
    external: (id) => !id.startsWith('.') && !id.startsWith(parts),
    treeshake: { moduleSideEffects: false },
  })
  // The hash of the part goes; that of the merged chunk keeps it apart from the chunks of other builds.
  const nameOf = ({ name }: { name: string }) => `${name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].js`
  await bundle.write({ dir, format: 'es', chunkFileNames: nameOf, hoistTransitiveImports: false })
  await bundle.close()
  await rm(parts, { recursive: true })
}
