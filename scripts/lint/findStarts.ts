// Finds what test files start: processes, browsers and services. Follows calls through every module that a test uses.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/** What a test starts, and the calls that lead there, from the test on. */
export type Start = { readonly what: string; readonly path: readonly string[] }

/** Exports that start something, by module: of Node and libraries by name, of the project by path. */
export type Starters = Readonly<Record<string, Readonly<Record<string, string>>>>

export type FindOptions = {
  readonly root: string
  readonly starters: Starters
  /** Functions that share what they start among the files of a worker, as `path#name`. */
  readonly shared: readonly string[]
}

type Target = { readonly module: string; readonly name: string }
type Declared = { readonly local: ReadonlySet<string>; readonly imported: readonly Target[] }
type Module = {
  readonly declarations: ReadonlyMap<string, Declared>
  readonly exports: ReadonlyMap<string, Target>
  /** Modules whose statements run before those of this one. */
  readonly loaded: readonly string[]
  /** Modules whose exports this one passes on whole. */
  readonly passed: readonly string[]
}

/** Pseudo-name of the statements of a module that run as it is loaded. */
const BODY = '<module>'

/** Creates a function that returns what a test file starts, once for each kind. */
export function createStartFinder({ root, starters, shared }: FindOptions) {
  const modules = new Map<string, Module>()
  const isFile = (module: string) =>
    modules.has(module) || (/\.[mc]?[jt]sx?$/.test(module) && existsSync(join(root, module)))
  const resolve = createResolver(root)
  const load = (path: string): Module => {
    const known = modules.get(path)
    if (known !== undefined) return known
    const module = readModule(join(root, path), (name) => resolve(path, name))
    modules.set(path, module)
    return module
  }

  /** Follows an export to the module that declares it. */
  function follow({ module, name }: Target, seen = new Set<string>()): Target {
    if (starters[module] !== undefined || !isFile(module) || seen.has(module)) return { module, name }
    seen.add(module)
    const { exports, passed } = load(module)
    const found = exports.get(name)
    if (found !== undefined) return found.module === module ? found : follow(found, seen)
    for (const other of passed) {
      const through = follow({ module: other, name }, seen)
      if (isFile(through.module) && load(through.module).exports.has(through.name)) return through
      if (starters[through.module]?.[through.name] !== undefined) return through
    }
    return { module, name }
  }

  return function findStarts(file: string): Start[] {
    const found = new Map<string, Start>()
    const seen = new Set<string>()
    const visit = (target: Target, path: readonly string[]) => {
      const { module, name } = follow(target)
      const what = starters[module]?.[name]
      const key = `${module}#${name}`
      if (what !== undefined) {
        if (!found.has(what)) found.set(what, { what, path: [...path, key] })
        return
      }
      if (seen.has(key) || shared.includes(key) || !isFile(module)) return
      seen.add(key)
      if (name === BODY)
        for (const loaded of load(module).loaded) visit({ module: loaded, name: BODY }, [...path, key])
      const declared = load(module).declarations.get(name)
      if (declared === undefined) return
      for (const local of declared.local) visit({ module, name: local }, [...path, key])
      for (const imported of declared.imported) visit(imported, [...path, key])
    }
    visit({ module: file, name: BODY }, [])
    return [...found.values()]
  }
}

/** Reads which names each declaration of a module uses, and what the module exports. */
function readModule(path: string, resolve: (name: string) => string): Module {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const own = resolve('')
  const imports = new Map<string, Target>()
  const exports = new Map<string, Target>()
  const passed: string[] = []
  const loaded: string[] = []
  const nodes = new Map<string, ts.Node[]>([[BODY, []]])
  const declare = (name: string, node: ts.Node, isExported: boolean) => {
    nodes.set(name, [...(nodes.get(name) ?? []), node])
    if (isExported) exports.set(name, { module: own, name })
  }

  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      if (!statement.importClause?.isTypeOnly) loaded.push(resolve(textOf(statement.moduleSpecifier)))
      readImport(statement, resolve, imports)
    } else if (ts.isExportDeclaration(statement)) {
      const module = statement.moduleSpecifier && resolve(textOf(statement.moduleSpecifier))
      if (statement.isTypeOnly) continue
      if (statement.exportClause === undefined) passed.push(module ?? own)
      else if (ts.isNamedExports(statement.exportClause))
        for (const { name, propertyName } of statement.exportClause.elements) {
          const local = (propertyName ?? name).text
          exports.set(
            name.text,
            module === undefined
              ? (imports.get(local) ?? { module: own, name: local })
              : { module, name: local },
          )
        }
    } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      const isDefault = hasModifier(statement, ts.SyntaxKind.DefaultKeyword)
      declare(
        statement.name?.text ?? 'default',
        statement,
        hasModifier(statement, ts.SyntaxKind.ExportKeyword),
      )
      if (isDefault) exports.set('default', { module: own, name: statement.name?.text ?? 'default' })
    } else if (ts.isVariableStatement(statement)) {
      for (const declaration of statement.declarationList.declarations) {
        const names = namesOf(declaration.name)
        for (const name of names)
          declare(name, declaration, hasModifier(statement, ts.SyntaxKind.ExportKeyword))
        // A function starts something when it is called; any other value as the module is loaded.
        if (!isFunction(declaration.initializer)) nodes.get(BODY)?.push(declaration)
      }
    } else if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) {
      nodes.get(BODY)?.push(statement)
    }
  }
  const names = new Set(nodes.keys())
  const declarations = new Map<string, Declared>()
  for (const [name, list] of nodes) declarations.set(name, readUses(list, names, imports, resolve))
  return { declarations, exports, passed, loaded }
}

function readImport(
  { importClause, moduleSpecifier }: ts.ImportDeclaration,
  resolve: (name: string) => string,
  imports: Map<string, Target>,
): void {
  if (importClause === undefined || importClause.isTypeOnly) return
  const module = resolve(textOf(moduleSpecifier))
  if (importClause.name) imports.set(importClause.name.text, { module, name: 'default' })
  const bindings = importClause.namedBindings
  if (bindings === undefined) return
  if (ts.isNamespaceImport(bindings)) imports.set(bindings.name.text, { module, name: '*' })
  else
    for (const { name, propertyName, isTypeOnly } of bindings.elements)
      if (!isTypeOnly) imports.set(name.text, { module, name: (propertyName ?? name).text })
}

/** Lists the values of the module and of others that nodes use. Types and names of properties are no use. */
function readUses(
  nodes: readonly ts.Node[],
  names: ReadonlySet<string>,
  imports: ReadonlyMap<string, Target>,
  resolve: (name: string) => string,
): Declared {
  const local = new Set<string>()
  const imported: Target[] = []
  const use = (name: string, property?: string) => {
    const target = imports.get(name)
    // `ns.name` and `child_process.spawn` name an export of the module.
    if (target !== undefined)
      imported.push(
        property !== undefined && (target.name === '*' || target.name === 'default')
          ? { module: target.module, name: property }
          : target,
      )
    else if (names.has(name)) local.add(name)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return
    if (ts.isPropertyAccessExpression(node)) {
      if (ts.isIdentifier(node.expression)) use(node.expression.text, node.name.text)
      else visit(node.expression)
    } else if (ts.isPropertyAssignment(node)) {
      if (ts.isComputedPropertyName(node.name)) visit(node.name)
      visit(node.initializer)
    } else if (ts.isBindingElement(node) || ts.isVariableDeclaration(node) || ts.isParameter(node)) {
      if (!ts.isIdentifier(node.name)) visit(node.name)
      if (node.initializer === undefined) return
      imported.push(...readDynamicImport(node, resolve))
      visit(node.initializer)
    } else if (ts.isIdentifier(node)) {
      use(node.text)
    } else {
      ts.forEachChild(node, visit)
    }
  }
  for (const node of nodes) visit(node)
  return { local, imported }
}

/** Returns what `const { a, b } = await import('module')` takes. */
function readDynamicImport(
  { name, initializer }: ts.VariableDeclaration | ts.BindingElement | ts.ParameterDeclaration,
  resolve: (name: string) => string,
): Target[] {
  const call = initializer && ts.isAwaitExpression(initializer) ? initializer.expression : undefined
  if (
    call === undefined ||
    !ts.isCallExpression(call) ||
    call.expression.kind !== ts.SyntaxKind.ImportKeyword
  )
    return []
  const [argument] = call.arguments
  if (argument === undefined || !ts.isStringLiteral(argument) || !ts.isObjectBindingPattern(name)) return []
  const module = resolve(argument.text)
  return name.elements.map((element) => ({ module, name: (element.propertyName ?? element.name).getText() }))
}

const textOf = (node: ts.Expression) => (ts.isStringLiteral(node) ? node.text : '')
const hasModifier = (node: ts.Node, kind: ts.SyntaxKind) =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) ?? false)
const isFunction = (node: ts.Node | undefined) =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
const namesOf = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesOf(element.name)))

/** Creates a function that returns the path of an imported module below the root, or its name if it is not ours. */
function createResolver(root: string): (from: string, name: string) => string {
  const packages = new Map<string, string>()
  for (const folder of ts.sys
    .getDirectories(join(root, 'packages'))
    .map((name) => `packages/${name}`)
    .concat(ts.sys.getDirectories(join(root, 'examples')).map((name) => `examples/${name}`))) {
    const manifest = join(root, folder, 'package.json')
    if (existsSync(manifest)) packages.set(JSON.parse(readFileSync(manifest, 'utf8')).name, folder)
  }
  return (from, name) => {
    if (name === '') return from
    if (name.startsWith('.')) return join(dirname(from), name)
    const parts = name.split('/')
    const [own, rest] = name.startsWith('@')
      ? [parts.slice(0, 2).join('/'), parts.slice(2)]
      : [parts[0] ?? '', parts.slice(1)]
    const folder = packages.get(own)
    if (folder === undefined) return name
    const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const entry = exports?.[rest.length === 0 ? '.' : `./${rest.join('/')}`]
    const path = typeof entry === 'string' ? entry : entry?.source
    return path === undefined ? name : join(folder, path)
  }
}
