import { ServiceError } from '../../verdicts/serviceApi.ts'

/** A failed tool call; its message is shown to the model. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** Describes a failed tool call in the guard's own words. Messages of other errors may contain text of a seller. */
export function describeFailure(error: unknown): string {
  if (error instanceof ServiceError && error.cause instanceof ToolError) return error.cause.message
  return error instanceof ToolError || error instanceof ServiceError ? error.message : 'The call failed.'
}
