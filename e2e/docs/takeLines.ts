import { type Place, placeOf } from '../../scripts/docs/places.ts'
import { listShellLines } from '../../scripts/docs/shellLines.ts'

/** Returns the shell lines that one test file must run, and tracks which of them were taken. */
export function takeLines(place: Place) {
  const all = listShellLines().map(({ line }) => line)
  const lines = [...new Set(all)].filter((line) => placeOf(line) === place)
  const left = new Set(lines)
  return {
    /** Takes the lines that match. Throws if there are none. */
    take(pattern: RegExp): string[] {
      const taken = lines.filter((line) => pattern.test(line))
      if (taken.length === 0) throw new Error(`no page has a line like ${pattern}`)
      for (const line of taken) left.delete(line)
      return taken
    },
    left: () => [...left],
  }
}
