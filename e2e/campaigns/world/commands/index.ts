import { TWISTS, type TwistName } from '@touchstone402/shared/market'
import fc from 'fast-check'
import { DEALINGS } from '../outside/sellers.ts'
import { ownerCall, tokenCall } from './calls.ts'
import { type Command, createCommand } from './command.ts'
import { faultCommands } from './faults.ts'
import { peopleCommands } from './people.ts'

const wait: fc.Arbitrary<Command> = fc
  .constantFrom(100, 100, 3000, 3000, 30_000, 30_000, 130_000, 700_000, 1_500_000, 5_000_000, 90_000_000)
  .map((ms) => createCommand('time passes', { ms }, (world) => world.order.pass(ms)))

const TWIST_NAMES = Object.keys(TWISTS) as TwistName[]

const turn: fc.Arbitrary<Command> = fc
  .record({
    seller: fc.nat(2),
    dealing: fc.constantFrom(...DEALINGS),
  })
  .map((data) =>
    createCommand('a seller changes', data, (world) => {
      const seller = world.sellers[data.seller]
      if (seller === undefined || seller.isHonest) return
      seller.dealing = data.dealing
    }),
  )

const twist: fc.Arbitrary<Command> = fc
  .record({ seller: fc.nat(2), twist: fc.option(fc.constantFrom(...TWIST_NAMES), { nil: null, freq: 1 }) })
  .map((data) =>
    createCommand(
      'a seller asks for something else',
      data,
      (world) => {
        const seller = world.sellers[data.seller]
        if (seller !== undefined && !seller.isHonest) seller.twist = data.twist
      },
      { kind: 'twist' },
    ),
  )

/** Draws the commands of a world. */
export const allCommands: fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 5 }, () => ownerCall),
  ...Array.from({ length: 8 }, () => tokenCall),
  wait,
  wait,
  wait,
  turn,
  twist,
  ...faultCommands,
  ...peopleCommands,
]
