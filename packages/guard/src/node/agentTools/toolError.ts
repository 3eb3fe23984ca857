/** A failed tool call; its message is shown to the model. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** Describes a failed tool call in the guard's own words. Messages of other errors may contain text of a seller. */
export function describeFailure(error: unknown): string {
  return error instanceof ToolError ? error.message : 'The call failed.'
}
