import { type DynamicStructuredTool, tool } from '@langchain/core/tools'
import type { Guard } from '../../integrations/createGuard.ts'
import {
  createToolContext,
  type GuardedFetchToolOptions,
  runTool,
  type Tool,
  type ToolContext,
} from '../tools/tool.ts'
import { BUDGET, CHECK_ENDPOINT, GUARDED_FETCH } from '../tools/tools.ts'

export type { AnswerOptions } from '../tools/answerBody.ts'
export type { CallResult } from '../tools/callEndpoint.ts'
export type { GuardedFetchToolOptions } from '../tools/tool.ts'

/**
 * Creates a LangChain tool that calls an endpoint and pays within the policy. Its result is fenced as untrusted
 * content; a failure is described in the guard's own words, so that the model can continue. The artifact of the tool
 * message is a `CallResult`; `metadata` has the hints `readOnlyHint` and `destructiveHint` of MCP.
 * @throws ConfigurationError
 * @example
 * const tools = [createGuardedFetchTool({ account, guard })]
 */
export function createGuardedFetchTool(options: GuardedFetchToolOptions): DynamicStructuredTool {
  return toLangChain(GUARDED_FETCH, createToolContext(options))
}

/**
 * Creates a free LangChain tool that checks whether an endpoint is safe to pay.
 * @example
 * const tools = [createCheckEndpointTool({ guard })]
 */
export function createCheckEndpointTool({ guard }: { guard: Guard }): DynamicStructuredTool {
  return toLangChain(CHECK_ENDPOINT, { guard })
}

/**
 * Creates a free LangChain tool that reads the remaining budget.
 * @example
 * const tools = [createBudgetTool({ guard })]
 */
export function createBudgetTool({ guard }: { guard: Guard }): DynamicStructuredTool {
  return toLangChain(BUDGET, { guard })
}

function toLangChain(definition: Tool, context: ToolContext) {
  const { name, description, inputSchema, hints } = definition
  return tool(
    async (input, config) => {
      const { text, data } = await runTool(definition, input, context, config?.signal)
      return [text, data]
    },
    {
      name,
      description,
      metadata: { ...hints },
      responseFormat: 'content_and_artifact' as const,
      schema: { ...inputSchema, required: [...(inputSchema.required ?? [])], additionalProperties: false },
    },
  ) as DynamicStructuredTool
}
