import type { Scenario } from '../situations.ts'
import { addresses } from './addresses.ts'
import { aloneScenarios } from './alone.ts'
import { amounts } from './amounts.ts'
import { baits } from './baits.ts'
import { challenges } from './challenges.ts'
import { deliveries } from './deliveries.ts'
import { injections } from './injections.ts'
import { networks } from './networks.ts'
import { ordering } from './ordering.ts'
import { paidCalls } from './paidCalls.ts'
import { proses } from './proses.ts'
import { protocols } from './protocols.ts'
import { rails } from './rails.ts'
import { receivers } from './receivers.ts'
import { replays } from './replays.ts'
import { services } from './services.ts'
import { splits } from './splits.ts'
import { spoofs } from './spoofs.ts'
import { tokens } from './tokens.ts'
import { units } from './units.ts'

/** Every attack. */
export const scenarios: readonly Scenario[] = [
  ...receivers,
  ...amounts,
  ...units,
  ...baits,
  ...tokens,
  ...networks,
  ...rails,
  ...challenges,
  ...ordering,
  ...injections,
  ...proses,
  ...protocols,
  ...spoofs,
  ...addresses,
  ...paidCalls,
  ...deliveries,
  ...splits,
  ...replays,
  ...services,
  ...aloneScenarios,
]
