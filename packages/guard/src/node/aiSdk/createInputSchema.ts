import { isRecord } from '@touchstone402/shared'

/**
 * A schema with its own JSON Schema, as specified by Standard Schema and Standard JSON Schema.
 * Source: https://standardschema.dev
 */
export type InputSchema<Input> = {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'touchstone'
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined
    readonly validate: (value: unknown) => Outcome<Input>
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>
      readonly output: () => Record<string, unknown>
    }
  }
}

type Outcome<Input> =
  | { readonly value: Input; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

type ObjectSchema = {
  readonly properties: Readonly<
    Record<string, { readonly type: 'string'; readonly enum?: readonly string[] }>
  >
  readonly required: readonly string[]
}

/** Creates a schema of an object with string fields, without the size of a JSON Schema library. */
export function createInputSchema<Input>(schema: ObjectSchema): InputSchema<Input> {
  const json = () => ({ ...schema, additionalProperties: false })
  const fits = (value: unknown): value is Input => findProblem(schema, value) === null
  return {
    '~standard': {
      version: 1,
      vendor: 'touchstone',
      validate: (value) =>
        fits(value) ? { value } : { issues: [{ message: findProblem(schema, value) ?? '' }] },
      jsonSchema: { input: json, output: json },
    },
  }
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
