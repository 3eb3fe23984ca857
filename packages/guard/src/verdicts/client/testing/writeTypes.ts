import {
  OPERATIONS,
  type Operation,
  ProblemSchema,
  type QueryParameter,
  SCHEMA_NAMES,
} from '@touchstone402/shared'
import * as z from 'zod/mini'

type Node = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Node[]
  readonly oneOf?: readonly Node[]
  readonly items?: Node
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly propertyNames?: Node
  readonly additionalProperties?: Node | false
  readonly description?: string
}

/** Writes the contract as plain TypeScript: what each operation is asked and what it answers, without the schema library. */
export function writeTypes(): string {
  const { schemas } = z.toJSONSchema(SCHEMA_NAMES, { metadata: SCHEMA_NAMES, io: 'output', uri: (id) => id })
  const operations = Object.entries<Operation>(OPERATIONS)
  const reached = new Map<string, string>()
  const visit = (id: string) => {
    const schema = schemas[id] as Node | undefined
    if (schema === undefined || reached.has(id)) return
    reached.set(id, '')
    const text = write(schema, visit)
    reached.set(id, `/** ${schema.description ?? id} */\nexport type ${id} = ${text}\n`)
  }
  visit(nameOf(ProblemSchema))
  const answers = operations.map(([id, { response }]) => {
    const names = response.map(nameOf)
    for (const name of names) visit(name)
    return `${id}: ${names.join(' | ')}\n`
  })
  const queries = operations.map(
    ([id, { query, summary }]) => `/** ${summary} */\n${id}: ${writeQuery(query)}\n`,
  )
  return [
    '// Made from the contract; a test keeps it so.\n',
    ...[...reached].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text),
    `/** What each operation is asked; what has a default may be left out. */\nexport type OperationQueries = ${block(queries)}\n`,
    `/** What each operation answers; where there are several answers, the query decides which one it is. */\nexport type OperationAnswers = ${block(answers)}\n`,
  ].join('\n')
}

function nameOf(schema: z.ZodMiniType): string {
  const id = SCHEMA_NAMES.get(schema)?.id
  if (id === undefined) throw new Error('every body in the contract has a name')
  return id
}

function writeQuery(query: Readonly<Record<string, QueryParameter>>): string {
  const entries = Object.entries(query)
  if (entries.length === 0) return 'Record<string, never>'
  const fields = entries.map(([name, parameter]) => {
    const optional = parameter.required ? ':' : '?:'
    return `/** ${parameter.description} */\n${name}${optional} ${writeParameter(parameter)}${parameter.required ? '' : ' | undefined'}\n`
  })
  return block(fields)
}

const block = (fields: readonly string[]) => `{\n${fields.join('').replace(/^(?=.)/gm, '  ')}}`

function writeParameter(parameter: QueryParameter): string {
  switch (parameter.kind) {
    case 'integer':
      return 'number'
    case 'flag':
      return 'boolean'
    case 'choice':
      return parameter.choices.map((choice) => JSON.stringify(choice)).join(' | ')
    default:
      return 'string'
  }
}

function write(node: Node, visit: (id: string) => void): string {
  const next = (inner: Node) => write(inner, visit)
  if (node.$ref !== undefined) {
    const id = node.$ref.replace(/^#\/(\$defs|components\/schemas)\//, '')
    visit(id)
    return id
  }
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(' | ')
  const options = node.anyOf ?? node.oneOf
  if (options !== undefined) return options.map(next).join(' | ')
  if (typeof node.type === 'object') return node.type.map((type) => next({ ...node, type })).join(' | ')
  switch (node.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return node.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `(${node.items === undefined ? 'unknown' : next(node.items)})[]`
    case 'object':
      return writeObject(node, next)
    default:
      return 'unknown'
  }
}

function writeObject(node: Node, next: (inner: Node) => string): string {
  if (node.properties === undefined) {
    const key = node.propertyNames === undefined ? 'string' : next(node.propertyNames)
    const value = node.additionalProperties ? next(node.additionalProperties) : 'unknown'
    return `Record<${key}, ${value}>`
  }
  const fields = Object.entries(node.properties).map(([name, field]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    const isRequired = node.required?.includes(name) === true
    return `${key}${isRequired ? ': ' : '?: '}${next(field)}${isRequired ? '' : ' | undefined'}\n`
  })
  return block(fields)
}
