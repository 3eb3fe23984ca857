import { type Place, placeOf } from '../../scripts/docs/places.ts'
import { listShellLines } from '../../scripts/docs/shellLines.ts'

/** The pages' lines that one test file runs: taken kind by kind, so that what nothing takes is found at the end. */
export function takeLines(place: Place) {
  const all = listShellLines().map(({ line }) => line)
  const lines = [...new Set(all)].filter((line) => placeOf(line) === place)
  const left = new Set(lines)
  return {
    /** The lines of one kind; there is at least one. */
    take(pattern: RegExp): string[] {
      const taken = lines.filter((line) => pattern.test(line))
      if (taken.length === 0) throw new Error(`no page has a line like ${pattern}`)
      for (const line of taken) left.delete(line)
      return taken
    },
    left: () => [...left],
  }
}
