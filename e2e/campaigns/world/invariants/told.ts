import type { Facts } from '../facts.ts'
import type { Machines } from '../process/machines.ts'
import { TOKENS } from '../setUp.ts'
import { Violation } from '../violation.ts'
import { sumCost } from './exposure.ts'

/** The ledger never says less than could be collected. @throws Violation */
export function checkTold(world: Facts & { machines: Machines }): void {
  for (const { process, ledger, openedAt, setUp } of world.machines.all()) {
    // A process knows what it has recorded itself, and what was recorded before it read the ledger.
    const known = world.books
      .out()
      .filter((one) => one.process === process || (Number(one.leftAt) < openedAt && setUp.ledger === 'file'))
    const compare = (what: string, told: bigint, out: bigint) => {
      if (told < out)
        throw new Violation(
          'told',
          `the ledger of ${process.name} says ${told} for ${what}, and ${out} are out`,
        )
    }
    compare('all', ledger.totals().usdMicros, sumCost(world, known))
    const { tasks } = ledger.summary(world.time.now() + setUp.skewMs)
    for (const { name } of TOKENS)
      compare(
        name,
        tasks.get(name) ?? 0n,
        sumCost(
          world,
          known.filter(({ seat }) => seat === name),
        ),
      )
  }
}
