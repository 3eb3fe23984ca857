import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { freeNames, readOptions } from './compileModules.ts'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const { exports } = JSON.parse(readFileSync(folder('../../package.json'), 'utf8'))
const entries = Object.entries<{ source?: string }>(exports).flatMap(([subpath, { source }]) =>
  source === undefined
    ? []
    : [{ specifier: `@touchstone402/guard${subpath.slice(1)}`, file: folder(`../../${source}`) }],
)

/** The program of all entries, with the types that they use. */
export const program = ts.createProgram(
  entries.map(({ file }) => file),
  readOptions(),
)
const checker = program.getTypeChecker()

type Exported = { name: string; specifier: string; example: string | undefined }

/** All exports of the guard, each with the example of its docstring. */
export const exported: readonly Exported[] = entries.flatMap(({ specifier, file }) => {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${specifier} has no source`)
  return checker
    .getExportsOfModule(module)
    .map((symbol) => ({ name: symbol.name, specifier, example: exampleOf(symbol) }))
})

/** Returns the example of a symbol's declaration or, for a re-export, of the export statement. */
function exampleOf(symbol: ts.Symbol): string | undefined {
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
  const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol
  const nodes: ts.Node[] = [
    ...(target.declarations ?? []),
    ...(symbol.declarations ?? []).map((node) => ts.findAncestor(node, ts.isExportDeclaration) ?? node),
  ]
  const tag = nodes.flatMap((node) => ts.getJSDocTags(node)).find(({ tagName }) => tagName.text === 'example')
  return tag && ts.getTextOfJSDocComment(tag.comment)
}

// Values that examples use without declaring them.
const GIVEN: Readonly<Record<string, string>> = {
  account: "import('@touchstone402/guard').SigningAccount",
  client: "import('@touchstone402/guard/client').TouchstoneClient",
  error: 'any',
  guard: "import('@touchstone402/guard').Guard",
  input: "Parameters<typeof import('@touchstone402/guard').decide>[0]",
  pay: "import('@touchstone402/guard').FetchLike",
  publicClient: "import('viem').PublicClient",
  transport: "import('@modelcontextprotocol/sdk/shared/transport.js').Transport",
  url: 'string',
}
const IMPORTED: Readonly<Record<string, string>> = {
  isAddress: 'viem',
  isHex: 'viem',
  privateKeyToAccount: 'viem/accounts',
  wrapFetchWithPayment: '@x402/fetch',
  registerExactEvmScheme: '@x402/evm/exact/client',
  x402Client: '@x402/fetch',
}

/** Turns an example into a module: imports the exports and declares the given values that it uses. */
export function toModule({ example = '', specifier }: Exported): string {
  const free = freeNames(example)
  const names = new Map(exported.map(({ name, specifier }) => [name, specifier]))
  // An export of the example's own module wins over its namesakes.
  for (const own of exported) if (own.specifier === specifier) names.set(own.name, specifier)
  for (const [name, from] of Object.entries(IMPORTED)) names.set(name, from)
  const imports = [...names].filter(([name]) => free.has(name))
  const given = Object.entries(GIVEN).filter(([name]) => free.has(name))
  return [
    ...imports.map(([name, from]) => `import { ${name} } from '${from}'`),
    ...given.map(([name, type]) => `declare const ${name}: ${type}`),
    example,
    'export {}',
  ].join('\n')
}
