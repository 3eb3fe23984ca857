import { isRecord } from '@touchstone402/shared'
import { createToolSchema, type ToolSchema } from './toolSchema.ts'

type ObjectSchema = {
  readonly properties: Readonly<
    Record<string, { readonly type: 'string'; readonly enum?: readonly string[] }>
  >
  readonly required: readonly string[]
}

/** Creates a schema of an object with string fields, without the size of a JSON Schema library. */
export function createInputSchema<Input>(schema: ObjectSchema): ToolSchema<Input> {
  return createToolSchema({ ...schema, additionalProperties: false }, (value) => findProblem(schema, value))
}

function findProblem({ properties, required }: ObjectSchema, value: unknown): string | null {
  if (!isRecord(value)) return 'expected an object'
  for (const name of required) if (!Object.hasOwn(value, name)) return `${name}: missing`
  for (const [name, field] of Object.entries(value)) {
    const rule = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (rule === undefined) return 'unknown field'
    if (typeof field !== 'string') return `${name}: expected a string`
    if (rule.enum !== undefined && !rule.enum.includes(field)) {
      return `${name}: expected one of ${rule.enum.join(', ')}`
    }
  }
  return null
}
