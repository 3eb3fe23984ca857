import { isRecord } from '@touchstone402/shared'
import type { Guard } from '../../integrations/createGuard.ts'
import {
  createToolContext,
  findProblem,
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
 * Input of the check tool.
 * @example
 * const input: CheckEndpointInput = { url: 'https://api.example.com/weather' }
 */
export type CheckEndpointInput = { url: string }

/**
 * Input of the paying tool.
 * @example
 * const input: GuardedFetchInput = { url: 'https://api.example.com/translate', body: '{"text":"hi"}', max_usd: '0.05' }
 */
export type GuardedFetchInput = {
  url: string
  /** @default 'POST' with a body, else 'GET' */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  /** Headers that frame the message or carry a credential are refused. */
  headers?: Record<string, string> | undefined
  /** Sent unchanged, as application/json unless `headers` set another type. */
  body?: string | undefined
  /** Maximum dollars for this call, as a decimal string. */
  max_usd?: string | undefined
}

/**
 * Result of a tool.
 * @example
 * const stateOf = ({ data }: AiToolOutput) => data?.state ?? 'refused'
 */
export type AiToolOutput = {
  /** For the model. */
  text: string
  /** The same as data, such as a `CallResult`; null if the input was refused. */
  data: Readonly<Record<string, unknown>> | null
}

/**
 * A schema with its own JSON Schema, as specified by Standard Schema and Standard JSON Schema.
 * Source: https://standardschema.dev
 */
type ToolSchema<Value> = {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'touchstone'
    readonly types?: { readonly input: unknown; readonly output: Value } | undefined
    readonly validate: (value: unknown) => Validation<Value>
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>
      readonly output: () => Record<string, unknown>
    }
  }
}

type Validation<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

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
 * Creates a tool that calls an endpoint and pays within the policy. Its result is fenced as untrusted content, and its
 * data is a `CallResult`.
 * @throws ConfigurationError
 * @example
 * const tools = { guarded_fetch: createGuardedFetchTool({ account, guard }) }
 */
export function createGuardedFetchTool(options: GuardedFetchToolOptions): AiTool<GuardedFetchInput> {
  return toAiTool(GUARDED_FETCH, createToolContext(options))
}

/**
 * Creates a free tool that checks whether an endpoint is safe to pay.
 * @example
 * const tools = { check_endpoint: createCheckEndpointTool({ guard }) }
 */
export function createCheckEndpointTool({ guard }: { guard: Guard }): AiTool<CheckEndpointInput> {
  return toAiTool(CHECK_ENDPOINT, { guard })
}

/**
 * Creates a free tool that reads the remaining budget.
 * @example
 * const tools = { budget: createBudgetTool({ guard }) }
 */
export function createBudgetTool({ guard }: { guard: Guard }): AiTool<Record<string, never>> {
  return toAiTool(BUDGET, { guard })
}

function toAiTool<Input>(tool: Tool, context: ToolContext): AiTool<Input> {
  const { title, description, hints, inputSchema, outputSchema } = tool
  const properties = { text: { type: 'string' }, data: { anyOf: [outputSchema, { type: 'null' }] } }
  return {
    title,
    description,
    metadata: { ...hints },
    inputSchema: toSchema({ ...inputSchema, additionalProperties: false }, (value) =>
      findProblem(inputSchema, value),
    ),
    outputSchema: toSchema({ type: 'object', properties, required: ['text', 'data'] }, (value) => {
      if (!isRecord(value) || typeof value.text !== 'string') return 'text: expected a string'
      return value.data === null || isRecord(value.data) ? null : 'data: expected an object or null'
    }),
    async execute(input, { abortSignal } = {}) {
      const { text, data } = await runTool(tool, input, context, abortSignal)
      return { text, data }
    },
    toModelOutput: ({ output }) => ({ type: 'text', value: output.text }),
  }
}

/** Creates a schema from its JSON Schema and a check that names a problem, or null if the value fits. */
function toSchema<Value>(
  schema: Record<string, unknown>,
  check: (value: unknown) => string | null,
): ToolSchema<Value> {
  const json = () => schema
  return {
    '~standard': {
      version: 1,
      vendor: 'touchstone',
      jsonSchema: { input: json, output: json },
      validate(value) {
        const message = check(value)
        return message === null ? { value: value as Value } : { issues: [{ message }] }
      },
    },
  }
}
