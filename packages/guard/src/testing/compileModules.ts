import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/** Reads the compiler options of the repository. */
export function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${ROOT}/tsconfig.json`, ts.sys.readFile)
  return ts.parseJsonConfigFileContent(config, ts.sys, ROOT).options
}

/** Returns the names that a text uses without declaring them. */
export function freeNames(text: string): Set<string> {
  const used = new Set<string>()
  const declared = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) {
      if (ts.isIdentifier(node.name)) declared.add(node.name.text)
    }
    const { parent } = node
    const isMember =
      parent &&
      (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) &&
      parent.name === node
    if (ts.isIdentifier(node) && !isMember) used.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('example.ts', text, ts.ScriptTarget.Latest, true))
  return new Set([...used].filter((name) => !declared.has(name)))
}

/**
 * Type-checks modules that exist only in memory. Returns one line per problem: the file's name and the message.
 * @param modules texts by absolute path; the path decides how imports resolve
 */
export function listProblems(
  modules: ReadonlyMap<string, string>,
  options: ts.CompilerOptions,
  old?: ts.Program,
): string[] {
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (file) => modules.has(file) || fileExists(file)
  host.readFile = (file) => modules.get(file) ?? readFile(file)
  const getSourceFile = host.getSourceFile
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const text = modules.get(file)
    return text === undefined
      ? getSourceFile(file, languageVersion, ...rest)
      : ts.createSourceFile(file, text, languageVersion, true)
  }
  const program = ts.createProgram(
    [...modules.keys()],
    { ...options, verbatimModuleSyntax: false, isolatedModules: false },
    host,
    old,
  )
  return [...modules.keys()].flatMap((file) => {
    const source = program.getSourceFile(file)
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${file.split('/').at(-1)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    )
  })
}
