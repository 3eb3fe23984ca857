import type { Guard } from '../../seats/createGuard.ts'
import { CHECK_ENDPOINT, type CheckEndpointInput, checkEndpoint } from '../agentTools/checkEndpoint.ts'
import { createToolFetch, type GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'
import { callGuarded, GUARDED_FETCH, type GuardedFetchInput } from '../agentTools/guardedFetchTool.ts'
import { describeFailure } from '../agentTools/toolError.ts'
import { createInputSchema, type InputSchema } from './createInputSchema.ts'

export type { Guard } from '../../seats/createGuard.ts'
export type { CheckEndpointInput } from '../agentTools/checkEndpoint.ts'
export type { GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'
export type { GuardedFetchInput } from '../agentTools/guardedFetchTool.ts'
export type { InputSchema } from './createInputSchema.ts'

/** A tool as `generateText` and `streamText` of the package `ai` take it; that package is not needed to make one. */
export type AiTool<Input> = {
  description: string
  inputSchema: InputSchema<Input>
  /** Never rejects: what went wrong is said in the guard's own words, so that the model can go on. */
  execute(input: Input, options?: { abortSignal?: AbortSignal | undefined }): Promise<string>
}

/**
 * Makes a tool that calls an endpoint and pays for it within the policy. Its answer is fenced as untrusted content.
 * @throws ConfigurationError
 */
export function createGuardedFetchTool(options: GuardedFetchToolOptions): AiTool<GuardedFetchInput> {
  const pay = createToolFetch(options)
  return {
    description: GUARDED_FETCH.description,
    inputSchema: createInputSchema(GUARDED_FETCH.inputSchema),
    execute: (input, { abortSignal } = {}) => callGuarded(pay, input, abortSignal).catch(describeFailure),
  }
}

/** Makes a tool that says whether an endpoint is safe to pay. It costs nothing. */
export function createCheckEndpointTool({ guard }: { guard: Guard }): AiTool<CheckEndpointInput> {
  return {
    description: CHECK_ENDPOINT.description,
    inputSchema: createInputSchema(CHECK_ENDPOINT.inputSchema),
    execute: (input) => checkEndpoint(guard, input).catch(describeFailure),
  }
}
