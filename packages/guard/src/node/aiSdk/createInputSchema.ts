/**
 * A schema that brings its own JSON Schema, as Standard Schema and Standard JSON Schema describe it.
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

/** Makes a schema of an object of texts; a JSON Schema library would be more than the guard itself. */
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
  if (typeof value !== 'object' || value === null) return 'expected an object'
  const fields = new Map<string, unknown>(Object.entries(value))
  for (const name of required) if (!fields.has(name)) return `${name}: missing`
  for (const [name, field] of fields) {
    const rule = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (rule === undefined) return 'a field that is not known'
    if (typeof field !== 'string') return `${name}: expected a text`
    if (rule.enum !== undefined && !rule.enum.includes(field)) return `${name}: not one of its values`
  }
  return null
}
