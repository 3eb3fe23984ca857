/** Loads what applies diffs: a chunk of its own, since a first map needs none. */
export function loadMapDiff(): Promise<typeof import('./write/applyMapDiff.ts')> {
  return import('./write/applyMapDiff.ts')
}
