import { type DynamicStructuredTool, tool } from '@langchain/core/tools'
import type { Guard } from '../../seats/createGuard.ts'
import { CHECK_ENDPOINT, checkEndpoint } from '../agentTools/checkEndpoint.ts'
import { createToolFetch, type GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'
import { callGuarded, GUARDED_FETCH } from '../agentTools/guardedFetchTool.ts'
import { describeFailure } from '../agentTools/toolError.ts'
import type { ToolResult } from '../agentTools/toolResult.ts'

export type { GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'

/**
 * Creates a LangChain tool that calls an endpoint and pays within the policy. Its result is fenced as untrusted
 * content; a failure is described in the guard's own words, so that the model can continue. The result as data is the
 * artifact of the tool message; `metadata` has the hints `readOnlyHint` and `destructiveHint` of MCP.
 * @throws ConfigurationError
 * @example
 * const tools = [createGuardedFetchTool({ account, guard })]
 */
export function createGuardedFetchTool(options: GuardedFetchToolOptions): DynamicStructuredTool {
  const pay = createToolFetch(options)
  return tool(
    (input, config) => callGuarded(pay, input, config?.signal).then(toContent, toFailure),
    toFields(GUARDED_FETCH),
  )
}

/**
 * Creates a free LangChain tool that checks whether an endpoint is safe to pay.
 * @example
 * const tools = [createCheckEndpointTool({ guard })]
 */
export function createCheckEndpointTool({ guard }: { guard: Guard }): DynamicStructuredTool {
  return tool((input) => checkEndpoint(guard, input).then(toContent, toFailure), toFields(CHECK_ENDPOINT))
}

function toFields({ name, description, inputSchema, hints }: typeof GUARDED_FETCH | typeof CHECK_ENDPOINT) {
  return {
    name,
    description,
    schema: { ...inputSchema, required: [...inputSchema.required] },
    metadata: hints,
    responseFormat: 'content_and_artifact' as const,
  }
}

const toContent = ({ text, data }: ToolResult) => [text, data]
const toFailure = (error: unknown) => [describeFailure(error), null]
