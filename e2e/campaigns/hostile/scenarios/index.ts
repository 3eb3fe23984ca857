import type { Scenario } from '../types.ts'
import { addresses } from './addresses.ts'
import { amounts } from './amounts.ts'
import { challenges } from './challenges.ts'
import { networks } from './networks.ts'
import { paidCalls } from './paidCalls.ts'
import { receivers } from './receivers.ts'
import { services } from './services.ts'
import { tokens } from './tokens.ts'

/** Every attack, in the order of the guard's table. */
export const scenarios: readonly Scenario[] = [
  ...receivers,
  ...amounts,
  ...tokens,
  ...networks,
  ...challenges,
  ...addresses,
  ...paidCalls,
  ...services,
]
