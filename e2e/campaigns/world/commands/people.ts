import fc from 'fast-check'
import { TAMPERS, USES } from '../agents/handSigner.ts'
import { TOKENS } from '../setUp.ts'
import { askedCall, between } from './calls.ts'
import { type Command, createCommand } from './command.ts'

const token = fc.constantFrom(...TOKENS)

/** Agents that sign for themselves. In worlds whose proxy pays they do nothing. */
const show = fc.tuple(token, askedCall, between).map(([one, asked, events]) =>
  createCommand(
    `${one.name} asks for terms`,
    asked,
    ({ setUp, handSigner }) => {
      if (setUp.signs) handSigner.show(one, asked)
    },
    events,
  ),
)
const sign = fc
  .record({ back: fc.nat(2), tamper: fc.constantFrom(...TAMPERS) })
  .map(({ back, tamper }) =>
    createCommand(
      'an agent asks for a signature',
      { back, tamper },
      ({ handSigner }) => void handSigner.sign(back, tamper),
    ),
  )
const use = fc
  .record({ back: fc.nat(2), how: fc.constantFrom(...USES), other: token })
  .map(({ back, how, other }) =>
    createCommand('an agent uses a signature', { back, how, other: other.name }, ({ handSigner }) =>
      handSigner.use(back, how, other),
    ),
  )

const ORDERS = [
  'approves',
  'approves',
  'refuses',
  'stops',
  'resumes',
  'resumes',
  'reconciles',
  'reconciles',
  'clears',
  'compacts',
] as const

const operate = fc.constantFrom(...ORDERS).map((order) =>
  createCommand(
    'the operator',
    { order },
    ({ operator }) => {
      switch (order) {
        case 'approves':
          return operator.answerAll(true)
        case 'refuses':
          return operator.answerAll(false)
        case 'stops':
          return operator.stop()
        case 'resumes':
          return operator.resume()
        case 'reconciles':
          return operator.reconcile()
        case 'clears':
          return operator.clearStrikes()
        case 'compacts':
          return operator.compact()
      }
    },
    200,
  ),
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

/** What agents with signatures, the operator and thieves do. */
export const peopleCommands: fc.Arbitrary<Command>[] = [
  show,
  show,
  sign,
  sign,
  use,
  use,
  operate,
  operate,
  collect,
  collect,
]
