import type { Guard } from '../../seats/createGuard.ts'
import type { FetchLike } from '../../types.ts'
import type { Hints, ObjectSchema, ToolResult } from '../agentTools/toolResult.ts'

/**
 * Dependencies of the MCP tools.
 * @example
 * const context: ToolContext = { guard, serviceUrl: 'https://touchstone.example', serviceFetch: fetch, pay: null }
 */
export type ToolContext = {
  guard: Guard
  /** Base URL of the service. */
  serviceUrl: string
  /** Sends free requests to the service. */
  serviceFetch: FetchLike
  /** Pays endpoints within the policy; null without a wallet. */
  pay: FetchLike | null
}

/** One tool of the MCP server. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly hints: Hints
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  /** @throws ToolError */
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>
}
