import fc from 'fast-check'
import { TAMPERS, USES } from '../agents/handSigner.ts'
import type { Operator } from '../agents/operator.ts'
import { type CommandKind, TOKENS } from '../setUp.ts'
import { askedCall, between } from './calls.ts'
import { type Command, createCommand } from './command.ts'

const token = fc.constantFrom(...TOKENS)
const kind = 'agentsSign'

const show = fc.tuple(token, askedCall, between).map(([one, asked, events]) =>
  createCommand(`${one.name} asks for terms`, asked, ({ handSigner }) => handSigner.show(one, asked), {
    kind,
    between: events,
  }),
)
const sign = fc
  .record({ back: fc.constantFrom(0, 0, 0, 1, 2), tamper: fc.constantFrom(...TAMPERS) })
  .map((data) =>
    createCommand(
      'an agent asks for a signature',
      data,
      ({ handSigner }) => void handSigner.sign(data.back, data.tamper),
      { kind },
    ),
  )
const use = fc
  .record({ back: fc.constantFrom(0, 0, 0, 1, 2), how: fc.constantFrom(...USES), other: token })
  .map(({ back, how, other }) =>
    createCommand(
      'an agent uses a signature',
      { back, how, other: other.name },
      ({ handSigner }) => handSigner.use(back, how, other),
      { kind },
    ),
  )

/** Orders of the operator, and how they are carried out. */
const ORDERS: readonly [string, CommandKind, (operator: Operator) => void][] = [
  ['approves', 'always', (operator) => operator.answerAll(true)],
  ['approves', 'always', (operator) => operator.answerAll(true)],
  ['refuses', 'always', (operator) => operator.answerAll(false)],
  ['reconciles', 'always', (operator) => operator.reconcile()],
  ['clears strikes', 'always', (operator) => operator.clearStrikes()],
  ['stops', 'stop', (operator) => operator.stop()],
  ['resumes', 'stop', (operator) => operator.resume()],
  ['resumes', 'stop', (operator) => operator.resume()],
  ['compacts', 'compact', (operator) => operator.compact()],
]

const operate = fc.constantFrom(...ORDERS).map(([order, ofKind, carryOut]) =>
  createCommand('the operator', { order }, ({ operator }) => carryOut(operator), {
    kind: ofKind,
    between: 200,
  }),
)

/** Thieves collect what they have kept. */
const collect = fc.constant(
  createCommand('thieves collect', {}, ({ held, market, trace }) => {
    for (const transfer of held.splice(0)) {
      const { success } = market.facilitator.settle(transfer)
      trace.add(`thief collects ${transfer.nonce.slice(0, 10)}: ${success}`)
    }
  }),
)

/** Commands of agents with signatures, the operator and thieves. */
export const peopleCommands: fc.Arbitrary<Command>[] = [
  ...[show, show, show, show, sign, sign, sign, sign, use, use, use],
  ...[operate, operate, collect],
]
