/** Something about a call that whoever made it can put right; its message is shown to them. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** What went wrong in a call, in the guard's own words: other messages may hold what a seller wrote. */
export function describeFailure(error: unknown): string {
  return error instanceof ToolError ? error.message : 'The call failed.'
}
