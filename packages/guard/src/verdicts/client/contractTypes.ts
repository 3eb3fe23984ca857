import type { components, operations } from '../../../generated/openapi.ts'

/**
 * Every named body of the service's contract.
 * @example
 * const summary = ({ severity, host, kind }: Schemas['Incident']) => `${severity} ${host}: ${kind}`
 */
export type Schemas = components['schemas']

/**
 * Query of each operation; parameters with a default are optional.
 * @example
 * const query: OperationQueries['pulse'] = { token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', window: '1h' }
 */
export type OperationQueries = {
  [Id in keyof operations]: Query<NonNullable<operations[Id]['parameters']['query']>>
}

type Query<Parameters> = [Parameters] extends [never]
  ? Record<string, never>
  : { [K in keyof Parameters]: Value<Parameters[K]> | OptionalOnly<Parameters, K> }

type OptionalOnly<T, K extends keyof T> = Record<never, never> extends Pick<T, K> ? undefined : never

// The contract writes booleans as 0 and 1.
type Value<T> = T extends '0' | '1' ? boolean : T

/**
 * Answer of each operation; where there are several, the query decides which one it is.
 * @example
 * const isSafe = ({ verdict }: OperationAnswers['verify']) => verdict === 'safe'
 */
export type OperationAnswers = {
  [Id in keyof operations]: operations[Id]['responses'][200]['content']['application/json']
}
