import { usdToAtomic } from '@touchstone402/shared'
import { misconfigured } from '../errors.ts'
import type { SpendingCap } from './budget.ts'

/**
 * Limit of one call.
 * @example
 * const cap: CallCap = { maxUsd: '0.05' }
 */
export type CallCap = {
  /** Maximum dollars for this call, as a decimal string. @default no limit beside the policy's */
  maxUsd?: string | undefined
}

/** Adds the limit of a call to the caps in force. @throws ConfigurationError */
export function capCall(cap: SpendingCap, { maxUsd }: CallCap = {}): SpendingCap {
  return maxUsd === undefined ? cap : { ...cap, perCall: readCap('maxUsd', maxUsd) }
}

const MAX_NAME = 200

/** Adds the budget of a task to the caps in force. @throws ConfigurationError */
export function capTask(cap: SpendingCap, name: string, maxUsd: string): SpendingCap {
  if (cap.task !== null) {
    throw misconfigured(`task: tasks cannot be nested; create ${JSON.stringify(name)} from the guard itself`)
  }
  if (typeof name !== 'string' || name.length === 0 || name.length > MAX_NAME) {
    throw misconfigured(`task: expected a name of 1-${MAX_NAME} characters`)
  }
  return { ...cap, task: { name, usdMicros: readCap('maxUsd', maxUsd) } }
}

function readCap(field: string, given: unknown): bigint {
  try {
    if (typeof given === 'string') return usdToAtomic(given)
  } catch {
    // Reported below.
  }
  throw misconfigured(`${field}: expected dollars as a decimal string such as "0.50", got ${describe(given)}`)
}

const describe = (given: unknown): string =>
  typeof given === 'string' ? JSON.stringify(given) : typeof given
