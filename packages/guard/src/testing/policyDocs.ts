import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** Constants whose comments describe fields, and the paths of these fields. */
const TABLES: Readonly<Record<string, string>> = {
  POLICY_FIELDS: '',
  HOST_FIELDS: 'hosts.',
  ASSET_FIELDS: 'assets.',
}

/** The comment of a policy field: its meaning, and its default as JSON, which an object of fields does not name. */
export type FieldDoc = { meaning: string; default: string | undefined }

/** Reads the comments of the policy's declaration, by the path of the field, such as `velocity.perHostPerMinute`. */
export function readPolicyDocs(): ReadonlyMap<string, FieldDoc> {
  const text = readFileSync(new URL('../decide/policySchema.ts', import.meta.url), 'utf8')
  const source = ts.createSourceFile('policySchema.ts', text, ts.ScriptTarget.Latest, true)
  const docs = new Map<string, FieldDoc>()
  const visit = (node: ts.Node, path: string): void => {
    const [comment] = ts.isPropertyAssignment(node) ? ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc) : []
    if (!ts.isPropertyAssignment(node) || comment === undefined) {
      node.forEachChild((inner) => visit(inner, path))
      return
    }
    const name = `${path}${node.name.getText()}`
    const tag = comment.tags?.find(({ tagName }) => tagName.text === 'default')
    docs.set(name, { meaning: textOf(comment), default: tag && textOf(tag) })
    visit(node.initializer, `${name}.`)
  }
  for (const statement of source.statements.filter(ts.isVariableStatement))
    for (const { name, initializer } of statement.declarationList.declarations) {
      const path = TABLES[name.getText()]
      if (path !== undefined && initializer) visit(initializer, path)
    }
  return docs
}

const textOf = ({ comment }: ts.JSDoc | ts.JSDocTag): string =>
  (ts.getTextOfJSDocComment(comment) ?? '').replaceAll(/\s+/g, ' ')
