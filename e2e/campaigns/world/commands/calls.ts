import fc from 'fast-check'
import type { AskedCall } from '../agents/agents.ts'
import type { Fate } from '../books.ts'
import { TOKENS } from '../setUp.ts'
import { type Command, createCommand } from './command.ts'

const fate: fc.Arbitrary<Fate> = fc.record({
  loses: fc.constantFrom('nothing', 'nothing', 'nothing', 'request', 'response', 'restOfBody'),
  delayMs: fc.constantFrom(0, 0, 50, 3000, 70_000),
  isDuplicated: fc.constantFrom(false, false, false, true),
})

/** Draws a call. Few URLs and bodies, so that calls are repeated. */
export const askedCall: fc.Arbitrary<AskedCall> = fc
  .record({
    seller: fc.nat(2),
    path: fc.constantFrom('/a', '/a', '/b', '/a?q=1'),
    method: fc.constantFrom('GET', 'POST'),
    body: fc.constantFrom('one pencil', 'a gift card'),
    fates: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(fate, { maxLength: 3 })),
    givesUpMs: fc.constantFrom(null, null, null, 1, 200, 4000),
    reads: fc.constantFrom(true, true, true, false),
  })
  .map(({ seller, ...call }) => ({ ...call, host: `s${seller}.example` }))

/** Number of events before the next command. */
export const between = fc.constantFrom(2, 10, 1000)

/** A call of the owner's own program. */
export const ownerCall: fc.Arbitrary<Command> = fc
  .tuple(askedCall, between)
  .map(([call, events]) =>
    createCommand('owner calls', call, (world) => void world.agents.owner(call), { between: events }),
  )

/** A call of an agent behind the proxy. */
export const tokenCall: fc.Arbitrary<Command> = fc
  .tuple(fc.constantFrom(...TOKENS), askedCall, between)
  .map(([token, call, events]) =>
    createCommand(`${token.name} calls`, call, (world) => void world.agents.token(token, call), {
      kind: 'proxyPays',
      between: events,
    }),
  )
