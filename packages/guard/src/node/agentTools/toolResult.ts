/** Result of a tool. */
export type ToolResult = {
  /** For the model to read. */
  readonly text: string
  /** The same facts as data. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Returns a result whose text is the data as JSON. */
export function toResult(data: ToolResult['data']): ToolResult {
  return { text: JSON.stringify(data), data }
}

/** A JSON Schema of an object. */
export type ObjectSchema = {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

/** Hints for clients that ask a person before some calls. Source: MCP 2025-06-18, `ToolAnnotations`. */
export type Hints = {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** Hints of a tool that reads and spends nothing. */
export const READS: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}

/** Hints of a tool that spends money, which cannot be undone. */
export const SPENDS: Hints = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
}
