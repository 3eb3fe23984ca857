import { type DynamicStructuredTool, tool } from '@langchain/core/tools'
import type { Guard } from '../../seats/createGuard.ts'
import { CHECK_ENDPOINT, checkEndpoint } from '../agentTools/checkEndpoint.ts'
import { createToolFetch, type GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'
import { callGuarded, GUARDED_FETCH } from '../agentTools/guardedFetchTool.ts'
import { describeFailure } from '../agentTools/toolError.ts'

export type { GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'

/**
 * Creates a LangChain tool that calls an endpoint and pays within the policy. Its result is fenced as untrusted
 * content; a failure is described in the guard's own words, so that the model can continue.
 * @throws ConfigurationError
 * @example
 * const tools = [createGuardedFetchTool({ account, guard })]
 */
export function createGuardedFetchTool(options: GuardedFetchToolOptions): DynamicStructuredTool {
  const pay = createToolFetch(options)
  return tool(
    (input, config) => callGuarded(pay, input, config?.signal).catch(describeFailure),
    toFields(GUARDED_FETCH),
  )
}

/**
 * Creates a free LangChain tool that checks whether an endpoint is safe to pay.
 * @example
 * const tools = [createCheckEndpointTool({ guard })]
 */
export function createCheckEndpointTool({ guard }: { guard: Guard }): DynamicStructuredTool {
  return tool((input) => checkEndpoint(guard, input).catch(describeFailure), toFields(CHECK_ENDPOINT))
}

function toFields({ name, description, inputSchema }: typeof GUARDED_FETCH | typeof CHECK_ENDPOINT) {
  return { name, description, schema: { ...inputSchema, required: [...inputSchema.required] } }
}
