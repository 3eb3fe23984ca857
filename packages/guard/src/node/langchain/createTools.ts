import { type DynamicStructuredTool, tool } from '@langchain/core/tools'
import type { Guard } from '../../seats/createGuard.ts'
import { CHECK_ENDPOINT, checkEndpoint } from '../agentTools/checkEndpoint.ts'
import { createToolFetch, type GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'
import { callGuarded, GUARDED_FETCH } from '../agentTools/guardedFetchTool.ts'
import { describeFailure } from '../agentTools/toolError.ts'

export type { Guard } from '../../seats/createGuard.ts'
export type { GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'

/**
 * Makes a LangChain tool that calls an endpoint and pays for it within the policy. Its answer is fenced as untrusted
 * content; what goes wrong is the answer too, in the guard's own words, so that the model can go on.
 * @throws ConfigurationError
 */
export function createGuardedFetchTool(options: GuardedFetchToolOptions): DynamicStructuredTool {
  const pay = createToolFetch(options)
  return tool(
    (input, config) => callGuarded(pay, input, config?.signal).catch(describeFailure),
    toFields(GUARDED_FETCH),
  )
}

/** Makes a LangChain tool that says whether an endpoint is safe to pay. It costs nothing. */
export function createCheckEndpointTool({ guard }: { guard: Guard }): DynamicStructuredTool {
  return tool((input) => checkEndpoint(guard, input).catch(describeFailure), toFields(CHECK_ENDPOINT))
}

function toFields({ name, description, inputSchema }: typeof GUARDED_FETCH | typeof CHECK_ENDPOINT) {
  return { name, description, schema: { ...inputSchema, required: [...inputSchema.required] } }
}
