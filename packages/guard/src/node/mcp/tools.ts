import { CHECK_ENDPOINT, checkEndpoint } from '../agentTools/checkEndpoint.ts'
import { callGuarded, GUARDED_FETCH } from '../agentTools/guardedFetchTool.ts'
import { SERVICE_TOOLS } from './serviceTools.ts'
import type { Tool } from './tool.ts'

/** Tools of the MCP server. Models read the descriptions, so each names its price. */
export const TOOLS: readonly Tool[] = [
  { ...CHECK_ENDPOINT, run: (input, { guard }) => checkEndpoint(guard, input) },
  ...SERVICE_TOOLS,
  { ...GUARDED_FETCH, run: (input, { pay }) => callGuarded(pay, input) },
]
