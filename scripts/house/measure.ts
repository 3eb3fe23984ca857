// Counts what keeps a reader from the code: `node --import tsx scripts/house/measure.ts [folder of a checkout]`.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { arrowsOf, findCircles, readRooms, TEST } from './readRooms.ts'

/** Lists the source files of a package, without tests. */
function listSources(root: string, name: string): string[] {
  const folder = join(root, 'packages', name, 'src')
  return readdirSync(folder, { recursive: true })
    .map((path) => join(folder, String(path)))
    .filter((path) => /\.tsx?$/.test(path) && !TEST.test(path) && statSync(path).isFile())
}

/** Counts in the text of files. */
export function countText(files: readonly string[]) {
  const texts = files.map((path) => readFileSync(path, 'utf8'))
  const count = (pattern: RegExp) => texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0)
  return {
    files: texts.length,
    lines: count(/\n/g),
    imports: count(/^import /gm),
    'factories, createX': count(/^export (?:async )?(?:function|const) create[A-Z]/gm),
    'types called …Deps or …Options': count(/^(?:export )?type \w*(?:Deps|Options)\b/gm),
    'callbacks called on…': count(/^\s+(?:readonly )?on[A-Z]\w*\??(?:: \(|\()/gm),
    'packed literals': count(/\.\.\.\{ \w/g),
  }
}

/** Lists optional fields of types called …Deps, …Options, …Parts or …Context that none of some files sets. */
export function listUnset(files: readonly string[]): string[] {
  const program = ts.createProgram([...files], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['source'],
    allowImportingTsExtensions: true,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    jsx: ts.JsxEmit.ReactJSX,
    jsxImportSource: 'preact',
  })
  const checker = program.getTypeChecker()
  const fields = new Map<ts.Node, string>()
  const set = new Set<ts.Node>()

  const collect = (node: ts.Node): void => {
    if (ts.isTypeAliasDeclaration(node) && /(?:Deps|Options|Parts|Context)$/.test(node.name.text))
      collectFields(node, `${relative('.', node.getSourceFile().fileName)}: ${node.name.text}`)
    node.forEachChild(collect)
  }
  const collectFields = (node: ts.Node, of: string): void => {
    if (ts.isFunctionTypeNode(node)) return
    if (ts.isPropertySignature(node) && node.questionToken !== undefined)
      fields.set(node, `${of}.${node.name.getText()}`)
    node.forEachChild((child) => collectFields(child, of))
  }
  const expectedOf = (node: ts.Expression) => {
    const type = checker.getContextualType(node)
    return type && checker.getNonNullableType(type)
  }
  const noteField = (expected: ts.Type | undefined, field: string, isOwn: (declared: ts.Node) => boolean) => {
    for (const declared of expected?.getProperty(field)?.declarations ?? [])
      if (!isOwn(declared)) set.add(declared)
  }
  const never = () => false
  /** Notes what a value sets of the type that is expected in its place; handing over a value of that type sets nothing. */
  const noteValue = (expected: ts.Type | undefined, value: ts.Expression) => {
    for (const part of checker.getTypeAtLocation(value).getProperties())
      noteField(
        expected,
        part.name,
        (declared) => part.declarations?.some((own) => own === declared) === true,
      )
  }
  const note = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const expected = expectedOf(node)
      for (const property of node.properties)
        if (ts.isSpreadAssignment(property)) noteValue(expected, property.expression)
        else noteField(expected, property.name.getText(), never)
    }
    if (ts.isCallExpression(node))
      for (const argument of node.arguments)
        if (!ts.isObjectLiteralExpression(argument)) noteValue(expectedOf(argument), argument)
    node.forEachChild(note)
  }
  const own = program.getSourceFiles().filter(({ fileName }) => files.includes(resolve(fileName)))
  own.forEach(collect)
  own.forEach(note)
  return [...fields].flatMap(([field, title]) => (set.has(field) ? [] : [title]))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = resolve(process.argv[2] ?? '.')
  process.chdir(root)
  const rooms = await readRooms()
  const circles = findCircles(rooms).map((circle) => circle.join(' '))
  const unset = listUnset(listSources(root, 'server'))
  console.log(`arrows between ${rooms.size} rooms of the server: ${arrowsOf(rooms)}`)
  console.log(`circles of rooms: ${circles.join('; ') || 'none'}`)
  console.log(`store imports: ${[...(rooms.get('store')?.keys() ?? [])].sort().join(', ')}`)
  for (const name of ['server', 'guard']) console.log(name, countText(listSources(root, name)))
  console.log(`optional fields that no production code of the server sets: ${unset.length}`)
  for (const one of unset) console.log(`  ${one}`)
}
