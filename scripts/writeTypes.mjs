// Writes the declarations of the published packages into their dist: every file that an entry reaches, shared's
// included. Imports of the workspace become relative ones, so that a package's types need only what its users install.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Folder where `tsc -b tsconfig.types.json` puts the declarations of packages/. */
const EMITTED = join(ROOT, '.cache/types')
const WORKSPACE = /^@touchstone402\/(\w[\w-]*)(\/.+)?$/

for (const name of ['guard', 'crash-test', 'shared', 'transfers', 'transparency']) {
  const dist = join(ROOT, 'packages', name, 'dist')
  rmSync(join(dist, 'types'), { recursive: true, force: true })
  const written = new Set()
  for (const { source, types } of entriesOf(name)) {
    const entry = declarationOf(join(EMITTED, name, source))
    copyReachable(entry, dist, written)
    const stub = join(ROOT, 'packages', name, types)
    writeFileSync(stub, `export * from '${specifier(stub, copyOf(entry, dist))}'\n`)
  }
}

/** Lists the entries of a package that have types. */
function entriesOf(name) {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'))
  return Object.values(exports).filter(({ source, types }) => source !== undefined && types !== undefined)
}

/** Copies a declaration file and all that it imports from the workspace. */
function copyReachable(file, dist, written) {
  if (written.has(file)) return
  written.add(file)
  const { text, imported } = rewrite(file)
  const copy = copyOf(file, dist)
  mkdirSync(dirname(copy), { recursive: true })
  writeFileSync(copy, text)
  for (const next of imported) copyReachable(next, dist, written)
}

function copyOf(file, dist) {
  return join(dist, 'types', relative(EMITTED, file))
}

/** Returns a declaration file's text with relative imports of other declarations, and those files. */
function rewrite(file) {
  const source = parse(file)
  const edits = []
  const imported = new Set()
  /** Returns the specifier of another file, and notes the file. */
  const refer = (target) => {
    imported.add(target)
    return specifier(file, target)
  }
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const from = node.moduleSpecifier?.text
      const target = from === undefined ? undefined : resolveModule(file, from)
      if (target === undefined) return
      const names = (node.importClause?.namedBindings ?? node.exportClause)?.elements
      if (from.startsWith('.')) edits.push([node.moduleSpecifier, `'${refer(target)}'`])
      // Named one by one, as the index of shared reaches far more than a package needs.
      else if (names !== undefined) edits.push([node, splitByFile(node, names, target, refer)])
      else throw new Error(`${file}: imports all of ${from}; import names instead`)
    } else if (ts.isImportTypeNode(node)) {
      const { literal } = node.argument
      const target = resolveModule(file, literal.text)
      if (target === undefined) return
      const name = literal.text.startsWith('.') ? undefined : node.qualifier?.getText(source)
      const declared = name === undefined ? target : findDeclaration(target, name).file
      edits.push([literal, `'${refer(declared)}'`])
      node.typeArguments?.forEach(visit)
    } else ts.forEachChild(node, visit)
  }
  visit(source)
  let text = source.text
  for (const [node, replacement] of edits.sort(([a], [b]) => b.getStart(source) - a.getStart(source)))
    text = text.slice(0, node.getStart(source)) + replacement + text.slice(node.getEnd())
  return { text, imported }
}

/** Returns statements that import or export the same names from the files that declare them. */
function splitByFile(node, names, target, refer) {
  const keyword = ts.isImportDeclaration(node) ? 'import' : 'export'
  const isType = node.importClause?.isTypeOnly || node.isTypeOnly
  return names
    .map((element) => {
      const { file, name } = findDeclaration(target, (element.propertyName ?? element.name).text)
      const local = element.name.text
      const type = isType || element.isTypeOnly ? 'type ' : ''
      return `${keyword} ${type}{ ${name === local ? name : `${name} as ${local}`} } from '${refer(file)}';`
    })
    .join('\n')
}

/** Finds the file that declares an export, through the files that only pass it on. */
function findDeclaration(file, name) {
  const found = lookUp(file, name)
  if (found === undefined) throw new Error(`${file} has no export "${name}"`)
  return found
}

function lookUp(file, name) {
  for (const node of parse(file).statements) {
    if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      const next = resolveModule(file, node.moduleSpecifier.text)
      if (next === undefined) continue
      if (node.exportClause === undefined) {
        const found = lookUp(next, name)
        if (found !== undefined) return found
      } else {
        const element = node.exportClause.elements?.find((element) => element.name.text === name)
        if (element !== undefined) return findDeclaration(next, (element.propertyName ?? element.name).text)
      }
    } else if (declares(node, name)) return { file, name }
  }
  return undefined
}

function declares(node, name) {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.some((declaration) => declaration.name.text === name)
  return node.name?.text === name
}

/** Returns the declaration file of an import from the workspace; undefined for other packages. */
function resolveModule(importer, from) {
  if (from.startsWith('.')) return declarationOf(resolve(dirname(importer), from))
  const match = WORKSPACE.exec(from)
  if (match === null) return undefined
  const [, name, subpath = ''] = match
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'))
  return declarationOf(join(EMITTED, name, exports[`.${subpath}`].source))
}

function declarationOf(path) {
  const file = path.replace(/\.tsx?$/, '.d.ts')
  if (!existsSync(file)) throw new Error(`no declarations of ${path}`)
  return file
}

/** Returns the relative specifier of a file in another. */
function specifier(from, to) {
  const path = relative(dirname(from), to).replace(/\.d\.ts$/, '.js')
  return path.startsWith('.') ? path : `./${path}`
}

function parse(file) {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
}
