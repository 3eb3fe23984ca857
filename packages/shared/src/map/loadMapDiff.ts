/** Loads the code that applies diffs: a separate chunk, since a first map does not need it. */
export function loadMapDiff(): Promise<typeof import('./write/applyMapDiff.ts')> {
  return import('./write/applyMapDiff.ts')
}
