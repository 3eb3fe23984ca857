import type { Guard } from '../../seats/createGuard.ts'
import { CHECK_ENDPOINT, type CheckEndpointInput, checkEndpoint } from '../agentTools/checkEndpoint.ts'
import { createToolFetch, type GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'
import { callGuarded, GUARDED_FETCH, type GuardedFetchInput } from '../agentTools/guardedFetchTool.ts'
import { describeFailure } from '../agentTools/toolError.ts'
import { createInputSchema } from './createInputSchema.ts'
import { type AiToolOutput, createOutputSchema } from './createOutputSchema.ts'
import type { ToolSchema } from './toolSchema.ts'

export type { CheckEndpointInput } from '../agentTools/checkEndpoint.ts'
export type { GuardedFetchToolOptions } from '../agentTools/createToolFetch.ts'
export type { GuardedFetchInput } from '../agentTools/guardedFetchTool.ts'
export type { AiToolOutput } from './createOutputSchema.ts'

/**
 * A tool for `generateText` and `streamText` of the package `ai`, which is not needed to create one.
 * @example
 * const check: AiTool<CheckEndpointInput> = createCheckEndpointTool({ guard })
 */
export type AiTool<Input> = {
  title: string
  description: string
  /** The hints `readOnlyHint` and `destructiveHint` of MCP, for `needsApproval` and the like. */
  metadata: Record<string, boolean>
  inputSchema: ToolSchema<Input>
  outputSchema: ToolSchema<AiToolOutput>
  /** Never rejects; a failure is described in the guard's own words, so that the model can continue. */
  execute(input: Input, options?: { abortSignal?: AbortSignal | undefined }): Promise<AiToolOutput>
  /** Shows the model the text alone. */
  toModelOutput(result: { output: AiToolOutput }): { type: 'text'; value: string }
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
    ...describe(GUARDED_FETCH),
    execute: (input, { abortSignal } = {}) => callGuarded(pay, input, abortSignal).catch(toFailure),
  }
}

/**
 * Creates a free tool that checks whether an endpoint is safe to pay.
 * @example
 * const tools = { check_endpoint: createCheckEndpointTool({ guard }) }
 */
export function createCheckEndpointTool({ guard }: { guard: Guard }): AiTool<CheckEndpointInput> {
  return { ...describe(CHECK_ENDPOINT), execute: (input) => checkEndpoint(guard, input).catch(toFailure) }
}

function describe<Input>({
  title,
  description,
  hints,
  inputSchema,
  outputSchema,
}: typeof GUARDED_FETCH | typeof CHECK_ENDPOINT) {
  return {
    title,
    description,
    metadata: { ...hints },
    inputSchema: createInputSchema<Input>(inputSchema),
    outputSchema: createOutputSchema(outputSchema),
    toModelOutput: ({ output }: { output: AiToolOutput }) => ({ type: 'text' as const, value: output.text }),
  }
}

const toFailure = (error: unknown): AiToolOutput => ({ text: describeFailure(error), data: null })
