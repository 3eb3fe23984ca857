/**
 * Finds the known name that is most like the first 64 characters of a given one. `distance` is the number of letters to
 * add, drop or replace.
 * @throws TypeError without known names
 */
export function nearestName(
  given: string,
  known: readonly string[],
): { readonly name: string; readonly distance: number } {
  return known
    .map((name) => ({ name, distance: distanceOf(given, name) }))
    .reduce((best, one) => (one.distance < best.distance ? one : best))
}

function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place)
  for (const [line, letter] of [...a.slice(0, 64)].entries()) {
    const next = [line + 1]
    for (const [place, other] of [...b].entries()) {
      const replaced = (row[place] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
