import type { Facts } from '../facts.ts'
import type { Machines } from '../process/machines.ts'
import { checkCovered } from './covered.ts'
import { checkTold } from './told.ts'

/** Checks every invariant of a world at rest. @throws Violation */
export function checkWorld(world: Facts & { machines: Machines }): void {
  if (world.violation !== null) throw world.violation
  checkCovered(world)
  checkTold(world)
}
