import { AsyncLocalStorage } from 'node:async_hooks'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { AskedCall } from '../proxy/approvals.ts'

/** A call of a tool, and the server that received it. */
export type ToolCall = AskedCall & { server: Server; signal: AbortSignal }

/** The call of a tool that a question of a guard is about. */
export const toolCalls = new AsyncLocalStorage<ToolCall>()
