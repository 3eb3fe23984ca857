/**
 * Where a shell line of the docs is run: by `.ci/run` unchanged, by a test of the push suite, by `scripts/docs` of the
 * nightly suite, or by a test of the release suite: `scripts/docs`, `e2e/packedGuard`, `e2e/packedServer`,
 * `e2e/docsAgent`, `e2e/docsOperator`, `e2e/docsProxy` or `e2e/docsTesting`. Lines for containers need an engine, so
 * `packages/server/src/containers.release.test.ts` compares their services and words with the sources.
 */
export type Place =
  | 'ci'
  | 'suite'
  | 'nightly'
  | 'scripts'
  | 'packedGuard'
  | 'packedServer'
  | 'agent'
  | 'operator'
  | 'proxy'
  | 'testing'
  | 'containers'

const PLACES: readonly (readonly [RegExp, Place])[] = [
  [/^npm (test|run test:release|run check|run demo -- --once)$/, 'ci'],
  [/^npm run nightly( -- \w+)?$/, 'scripts'],
  [/^npm install --save-dev /, 'testing'],
  [/^(npx vitest run|node --test) weather\.test\.m?[jt]s$/, 'testing'],
  [/^npx vitest run /, 'suite'],
  [/^node scripts\/report\/writeTables\.mjs$/, 'suite'],
  [/^node --import tsx scripts\/house\/(measure|drawRooms)\.ts$/, 'suite'],
  [/^node --import tsx examples\/economy\/src\/main\.ts$/, 'suite'],
  [/^npm run (bench|campaign) -- [\w<>-]+( --\w+ \d+)*$/, 'scripts'],
  [/^npx changeset\b/, 'scripts'],
  [/^npm run release -- --dry-run$/, 'nightly'],
  [/^npx @touchstone402\/crash-test$/, 'packedGuard'],
  [/^npx @touchstone402\/crash-test /, 'scripts'],
  [/^npm run build:contracts$/, 'nightly'],
  [/^npm run demo$/, 'agent'],
  [/^npm run agent -- examples\//, 'agent'],
  [/^npm run pack -- /, 'packedServer'],
  [/^npm install \.\//, 'packedServer'],
  [/^npx touchstone-server( doctor)?$/, 'packedServer'],
  [/^npm install /, 'agent'],
  [/^[A-Z_]+=\S+ npx (-p \S+ )+touchstone proxy /, 'proxy'],
  [/^npx @touchstone402\/guard (approve|proxy page)$/, 'proxy'],
  [/^curl .*Touchstone-Token/, 'proxy'],
  [/^curl -i 'https:\/\/trust\.example\//, 'agent'],
  [/^npx tsx agent\.mts$/, 'agent'],
  [/^([A-Z_]+=\S+ )*npx (-p \S+ )*(@touchstone402\/guard|touchstone) /, 'agent'],
  [/^export [A-Z_]+=/, 'operator'],
  [/^npm run serve( -- recompute HOST)?$/, 'operator'],
  [/^touchstone-server /, 'operator'],
  [/^docker compose /, 'containers'],
]

/** Returns where a line is run, or undefined if nothing runs it. */
export function placeOf(line: string): Place | undefined {
  return PLACES.find(([pattern]) => pattern.test(line))?.[1]
}

/** Returns the patterns that no longer match a line. */
export function unusedPlaces(lines: readonly string[]): string[] {
  return PLACES.filter(([pattern]) => !lines.some((line) => pattern.test(line))).map(([pattern]) =>
    String(pattern),
  )
}
