import type { Guard } from '../../seats/createGuard.ts'
import { CHECK_ENDPOINT, type CheckEndpointInput, checkEndpoint } from '../agentTools/checkEndpoint.ts'
import { createToolFetch, type GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'
import { callGuarded, GUARDED_FETCH, type GuardedFetchInput } from '../agentTools/guardedFetchTool.ts'
import { describeFailure } from '../agentTools/toolError.ts'
import type { ToolResult } from '../agentTools/toolResult.ts'
import { createInputSchema, type InputSchema } from './createInputSchema.ts'

export type { CheckEndpointInput } from '../agentTools/checkEndpoint.ts'
export type { GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'
export type { GuardedFetchInput } from '../agentTools/guardedFetchTool.ts'

/**
 * A tool for `generateText` and `streamText` of the package `ai`, which is not needed to create one.
 * @example
 * const check: AiTool<CheckEndpointInput> = createCheckEndpointTool({ guard })
 */
export type AiTool<Input> = {
  description: string
  inputSchema: InputSchema<Input>
  /** Never rejects; a failure is described in the guard's own words, so that the model can continue. */
  execute(input: Input, options?: { abortSignal?: AbortSignal | undefined }): Promise<string>
}

/**
 * Creates a tool that calls an endpoint and pays within the policy. Its result is fenced as untrusted content.
 * @throws ConfigurationError
 * @example
 * const tools = { guarded_fetch: createGuardedFetchTool({ account, guard }) }
 */
export function createGuardedFetchTool(options: GuardedFetchToolOptions): AiTool<GuardedFetchInput> {
  const pay = createToolFetch(options)
  return {
    description: GUARDED_FETCH.description,
    inputSchema: createInputSchema(GUARDED_FETCH.inputSchema),
    execute: (input, { abortSignal } = {}) =>
      callGuarded(pay, input, abortSignal).then(toText, describeFailure),
  }
}

/**
 * Creates a free tool that checks whether an endpoint is safe to pay.
 * @example
 * const tools = { check_endpoint: createCheckEndpointTool({ guard }) }
 */
export function createCheckEndpointTool({ guard }: { guard: Guard }): AiTool<CheckEndpointInput> {
  return {
    description: CHECK_ENDPOINT.description,
    inputSchema: createInputSchema(CHECK_ENDPOINT.inputSchema),
    execute: (input) => checkEndpoint(guard, input).then(toText, describeFailure),
  }
}

const toText = ({ text }: ToolResult) => text
