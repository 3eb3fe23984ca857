/**
 * A schema with its own JSON Schema, as specified by Standard Schema and Standard JSON Schema.
 * Source: https://standardschema.dev
 */
export type ToolSchema<Value> = {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'touchstone'
    readonly types?: { readonly input: unknown; readonly output: Value } | undefined
    readonly validate: (value: unknown) => Outcome<Value>
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>
      readonly output: () => Record<string, unknown>
    }
  }
}

type Outcome<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/** Creates a schema from its JSON Schema and a check that names a problem, or null if the value fits. */
export function createToolSchema<Value>(
  schema: Record<string, unknown>,
  findProblem: (value: unknown) => string | null,
): ToolSchema<Value> {
  const json = () => schema
  return {
    '~standard': {
      version: 1,
      vendor: 'touchstone',
      validate(value) {
        const message = findProblem(value)
        return message === null ? { value: value as Value } : { issues: [{ message }] }
      },
      jsonSchema: { input: json, output: json },
    },
  }
}
