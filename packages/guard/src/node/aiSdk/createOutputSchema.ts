import { isRecord } from '@touchstone402/shared'
import type { ObjectSchema } from '../agentTools/toolResult.ts'
import { createToolSchema, type ToolSchema } from './toolSchema.ts'

/**
 * Result of a tool.
 * @example
 * const labelOf = ({ data }: AiToolOutput) => data?.label ?? 'Failed'
 */
export type AiToolOutput = {
  /** For the model. */
  text: string
  /** The same as data; null if the call failed. */
  data: Readonly<Record<string, unknown>> | null
}

/** Creates the schema of a tool's result from that of its data. */
export function createOutputSchema(data: ObjectSchema): ToolSchema<AiToolOutput> {
  const properties = { text: { type: 'string' }, data: { anyOf: [data, { type: 'null' }] } }
  return createToolSchema({ type: 'object', properties, required: ['text', 'data'] }, (value) => {
    if (!isRecord(value) || typeof value.text !== 'string') return 'text: expected a string'
    return value.data === null || isRecord(value.data) ? null : 'data: expected an object or null'
  })
}
