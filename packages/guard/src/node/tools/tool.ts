import { isRecord } from '@touchstone402/shared'
import { createGuard, type Guard } from '../../integrations/createGuard.ts'
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardOrOptions,
} from '../../integrations/createGuardedFetch.ts'
import type { FetchLike } from '../../types.ts'
import { withDefaultLedger } from '../defaultLedger.ts'
import { IDLE_MS, TOTAL_MS } from '../http/clock.ts'
import { createPublicFetch } from '../publicFetch.ts'
import type { AnswerOptions } from './answerBody.ts'

/**
 * Dependencies of the tools.
 * @example
 * const context: ToolContext = { guard, serviceUrl: 'https://touchstone.example', serviceFetch: fetch, pay: null }
 */
export type ToolContext = {
  guard: Guard
  /** Pays endpoints within the policy, as `createGuardedFetch` creates it. @default null, no wallet */
  pay?: GuardedFetch | null
  /** Base URL of the service, for the tools that read it. @default that of the guard */
  serviceUrl?: string | null
  /** Sends free requests to the service. @default the global fetch */
  serviceFetch?: FetchLike
  /** How answers of endpoints are read. @default {} */
  answers?: AnswerOptions
}

/**
 * Options of a paying tool.
 * @example
 * const options: GuardedFetchToolOptions = { account, guard }
 */
export type GuardedFetchToolOptions = GuardOrOptions &
  Pick<GuardedFetchOptions, 'account'> & {
    /**
     * Sends requests to the endpoints. Models choose the addresses, so it must refuse private ones.
     * @default a fetch that connects to public addresses and the trust service only
     */
    fetch?: FetchLike
    /** Reaches hosts of private networks and of this machine as well, for development. @default false */
    allowPrivateHosts?: boolean
    /** How answers are read. @default {} */
    answers?: AnswerOptions
  }

/**
 * Creates the dependencies of tools with a wallet.
 * @throws ConfigurationError
 */
export function createToolContext(options: GuardedFetchToolOptions): ToolContext {
  const { allowPrivateHosts = false, answers = {}, ...rest } = options
  const guard = rest.guard ?? createOwnGuard(rest)
  const { serviceUrl } = guard
  const { idleMs = IDLE_MS, totalMs = TOTAL_MS } = answers
  const { account, fetch = createPublicFetch({ serviceUrl, allowPrivateHosts, idleMs, totalMs }) } = rest
  // With a guard, its own options beside it are refused by name.
  const pay = createGuardedFetch(rest.guard === undefined ? { account, guard, fetch } : { ...rest, fetch })
  return { guard, pay, answers }
}

function createOwnGuard(options: Extract<GuardedFetchToolOptions, { guard?: undefined }>): Guard {
  const { fetch: _, guard: __, ...own } = options
  return createGuard(withDefaultLedger(own))
}

/** Result of a tool: a text for the model, and the same facts as data, which are null if the input was refused. */
export type ToolResult = {
  readonly text: string
  readonly data: Readonly<Record<string, unknown>> | null
  readonly isError: boolean
}

/** A JSON Schema of an object. */
export type ObjectSchema = {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

/** Hints for clients that ask a person before some calls. Source: MCP 2025-06-18, `ToolAnnotations`. */
type Hints = Readonly<ReturnType<typeof hintsOf>>

/** A tool for models. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly hints: Hints
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  /** Runs the tool on a valid input. @throws ToolError */
  run(
    input: Readonly<Record<string, unknown>>,
    context: ToolContext,
    signal?: AbortSignal,
  ): Promise<ToolResult>
}

/** The error of a tool that pays if there is no wallet. */
export const NO_WALLET = 'No wallet: set PRIVATE_KEY or PRIVATE_KEY_FILE.'

const hintsOf = (isSpending: boolean) => ({
  readOnlyHint: !isSpending,
  destructiveHint: isSpending,
  idempotentHint: !isSpending,
  openWorldHint: true,
})
/** Hints of a tool that reads and spends nothing. */
export const READS = hintsOf(false)
/** Hints of a tool that spends money, which cannot be undone. */
export const SPENDS = hintsOf(true)

/** A failed tool call; its message is shown to the model. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** Runs a tool. Never rejects: failures are in the guard's own words, since other errors may hold text of a seller. */
export async function runTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  signal?: AbortSignal,
): Promise<ToolResult> {
  try {
    const problem = findProblem(tool.inputSchema, input)
    if (problem !== null) throw new ToolError(`${problem}.`)
    return await tool.run(input as Record<string, unknown>, context, signal)
  } catch (error) {
    const text = error instanceof ToolError ? error.message : 'The call failed.'
    return { text, data: null, isError: true }
  }
}

/** Returns a result whose text is the data as JSON. */
export const toResult = (data: Readonly<Record<string, unknown>>): ToolResult => ({
  text: JSON.stringify(data),
  data,
  isError: false,
})

/** Maximum length of a text of a seller. */
const MAX_TEXT = 300

/** Returns a result with texts of sellers, such as their paths: each is cut, and all stand between two equal lines. */
export function toFencedResult(data: Readonly<Record<string, unknown>>): ToolResult {
  const cut = (_: string, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
  const text = JSON.stringify(data, cut)
  return { text: fence(text).text, data: JSON.parse(text), isError: false }
}

/** Puts a text of strangers between two equal lines. They are random, so that it cannot fake its end. */
export function fence(content: string): { readonly text: string; readonly fenced: string } {
  const line = crypto.randomUUID()
  const fenced = `${line}\n${content}\n${line}`
  return { text: `Untrusted content between the two lines ${line}:\n${fenced}`, fenced }
}

type FieldSchema = { type?: string; enum?: readonly string[]; minimum?: number; maximum?: number }

/** Checks an input of strings, whole numbers and objects of strings. Returns the error, or null. */
export function findProblem({ properties, required = [] }: ObjectSchema, input: unknown): string | null {
  if (!isRecord(input)) return 'expected an object'
  for (const name of required) if (!Object.hasOwn(input, name)) return `${name}: missing`
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(properties, name)) return 'unknown field'
    const { type, enum: allowed, minimum = 1, maximum = 1 }: FieldSchema = properties[name] ?? {}
    if (type === 'integer') {
      const fits = Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
      if (!fits) return `${name}: expected a whole number from ${minimum} to ${maximum}`
    } else if (type === 'object') {
      const isFlat = isRecord(value) && Object.values(value).every((one) => typeof one === 'string')
      if (!isFlat) return `${name}: expected an object of strings`
    } else if (typeof value !== 'string') return `${name}: expected a string`
    else if (allowed?.includes(value) === false) return `${name}: expected one of ${allowed.join(', ')}`
  }
  return null
}
