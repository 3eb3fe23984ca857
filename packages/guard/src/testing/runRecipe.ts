import { readFileSync } from 'node:fs'
import ts from 'typescript'

const PAGE = readFileSync(new URL('../../../../docs/recipes.md', import.meta.url), 'utf8')
const ENTRIES: Readonly<Record<string, () => Promise<object>>> = {
  '@touchstone402/guard': () => import('../index.ts'),
  '@touchstone402/guard/fetch': () => import('../integrations/createGuardedFetch.ts'),
  '@touchstone402/guard/ai-sdk': () => import('../node/aiSdk/createTools.ts'),
  '@touchstone402/guard/postgres': () => import('../node/postgres/postgresLedger.ts'),
}

/** Code of each recipe of docs/recipes.md by its title; empty without one. */
export const RECIPE_CODE: ReadonlyMap<string, string> = new Map(
  PAGE.split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', /^```[jt]s\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? '']),
)

/**
 * Runs the code of a recipe as it stands but for its addresses.
 * @param places each address of the page with the one to use
 * @param given values that the recipe uses without declaring them
 * @returns what it declares
 */
export async function runRecipe(
  title: string,
  places: readonly (readonly [string, string])[],
  given: Readonly<Record<string, unknown>>,
) {
  const text = places.reduce((text, [from, to]) => text.replaceAll(from, to), RECIPE_CODE.get(title) ?? '')
  const names = [...text.matchAll(/^const (\w+|\{.*\}) =/gm)].map(([, name = '']) =>
    name.replace(/[{}]/g, ''),
  )
  const modules: Record<string, object> = {}
  for (const [, name = ''] of text.matchAll(/^import .* from '(.+)'$/gm))
    modules[name] = (await ENTRIES[name]?.()) ?? {}
  const body = text.replace(/^import (\{.+\}) from ('.+')$/gm, 'const $1 = modules[$2]')
  const recipe = `async function recipe() {${body}\nreturn { ${names.join(', ')} }}`
  const { outputText } = ts.transpileModule(recipe, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  })
  const values = { modules, ...given }
  return new Function(...Object.keys(values), `${outputText}\nreturn recipe()`)(...Object.values(values))
}
