/** What runs a shell line of the pages: `.ci/run` as it stands, `scripts/docs.test.ts`, `e2e/docsAgent.test.ts` or `e2e/docsOperator.test.ts`. */
export type Place = 'ci' | 'scripts' | 'agent' | 'operator'

const PLACES: readonly (readonly [RegExp, Place])[] = [
  [/^npm (test|run check|run demo -- --once)$/, 'ci'],
  [/^npm run (bench|campaign) -- <name>$/, 'scripts'],
  [/^npx (vitest|changeset)\b/, 'scripts'],
  [/^npm run build:usdc$/, 'scripts'],
  [/^node --import tsx examples\/economy\/src\/main\.ts$/, 'scripts'],
  [/^npm run demo$/, 'agent'],
  [/^npm install /, 'agent'],
  [/^([A-Z_]+=\S+ )*npx @touchstone402\/guard /, 'agent'],
  [/^touchstone policy explain$/, 'agent'],
  [/^export [A-Z_]+=/, 'operator'],
  [/^npm run serve( -- recompute HOST)?$/, 'operator'],
  [/^touchstone-server /, 'operator'],
  [/^npm run campaign -- cluster$/, 'operator'],
]

/** Where a line is run; undefined where nothing runs it. */
export function placeOf(line: string): Place | undefined {
  return PLACES.find(([pattern]) => pattern.test(line))?.[1]
}

/** Patterns that stand for no line any more. */
export function unusedPlaces(lines: readonly string[]): string[] {
  return PLACES.filter(([pattern]) => !lines.some((line) => pattern.test(line))).map(([pattern]) =>
    String(pattern),
  )
}
