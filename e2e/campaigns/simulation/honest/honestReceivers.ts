import { rotationMessage } from '@touchstone402/server/parts'
import { accountOf, addressOf, BASE, POLYGON, SOLANA, SOLANA_SELLER, usdcEntry } from '../names.ts'
import { amountOf, asks, baseEntry, type HonestKind, honest, type Maker, nameOf } from './honestParts.ts'

const VALID_FROM = '2026-01-02T00:00:00Z'
/** Circle's EURC on Base. */
const EURC = '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'

const severalNetworks: Maker = (index) => {
  const host = nameOf('several-networks', index)
  const amount = amountOf(index)
  const all = [
    usdcEntry(BASE, addressOf(host), amount),
    usdcEntry(POLYGON, addressOf(`${host} polygon`), amount),
    usdcEntry(SOLANA, SOLANA_SELLER, amount),
  ]
  // Some add networks over time, some drop one, some do not offer Base.
  const phases = [
    [asks(0, all)],
    [asks(0, all.slice(0, 1)), asks(3, all)],
    [asks(0, all), asks(3, all.slice(1))],
    [asks(0, all.slice(1))],
  ][index % 4]
  return honest('several-networks', index, {
    phases: phases ?? [],
    knownFlags: ['unverifiable', 'payment_unsupported'],
  })
}

const addsSolana: Maker = (index, day) => {
  const entry = baseEntry('adds-solana', index)
  const solana = usdcEntry(SOLANA, SOLANA_SELLER, entry.amountAtomic)
  return honest('adds-solana', index, {
    phases: [asks(0, [entry]), asks(day, index % 2 === 0 ? [entry, solana] : [solana, entry])],
  })
}

/** Signs a change of receiver with the old one. */
async function signedRotation(host: string, network: string, newPayTo: string) {
  const terms = { host, network, oldPayTo: addressOf(host), newPayTo, validFrom: VALID_FROM }
  const signature = await accountOf(host).signMessage({ message: rotationMessage(terms) })
  return { network, newPayTo, validFrom: VALID_FROM, signature }
}

const announcedRotation: Maker = async (index, day) => {
  const kind = 'announced-rotation'
  const host = nameOf(kind, index)
  const newPayTo = addressOf(`${host} next`)
  const before = baseEntry(kind, index)
  const after = { ...before, payTo: newPayTo }
  if (index % 4 === 3) {
    return honest(kind, index, {
      phases: [asks(0, [before]), asks(day, [after])],
      funding: [{ atDay: day - 1, from: addressOf(host), to: newPayTo }],
    })
  }
  const rotation = await signedRotation(host, BASE, newPayTo)
  const wellKnown = JSON.stringify(index % 4 === 0 ? rotation : { version: 1, rotations: [rotation] })
  return honest(kind, index, { phases: [asks(0, [before]), asks(day, [after], { wellKnown })] })
}

/** Moves from Base to another network: with an overlap of two days, or announced by the old receiver. */
const movesNetwork: Maker = async (index, day) => {
  const kind = 'moves-network'
  const host = nameOf(kind, index)
  const before = baseEntry(kind, index)
  const other = [addressOf(host), addressOf(`${host} polygon`), addressOf(`${host} polygon`), SOLANA_SELLER]
  const payTo = other[index % 4] ?? before.payTo
  const after = usdcEntry(index % 4 === 3 ? SOLANA : POLYGON, payTo, before.amountAtomic)
  const wellKnown = JSON.stringify({ rotations: [await signedRotation(host, POLYGON, payTo)] })
  const phases =
    index % 4 === 2
      ? [asks(0, [before]), asks(day, [after], { wellKnown })]
      : [asks(0, [before]), asks(day, [before, after]), asks(day + 2, [after])]
  return honest(kind, index, { phases, knownFlags: ['unverifiable', 'payment_unsupported'] })
}

/** Splits its income by route, by network, by asset, or with a contract. */
const splitReceivers: Maker = (index) => {
  const kind = 'split-receivers'
  const host = nameOf(kind, index)
  const entry = baseEntry(kind, index)
  const partner = addressOf(`${host} partner`)
  if (index % 4 === 0) {
    const shown = {
      to: ({ path }: { path: string }) => path === '/pro',
      entries: [{ ...entry, payTo: partner }],
    }
    return honest(kind, index, { paths: ['/api', '/pro'], phase: { shown } })
  }
  const others = [
    [],
    [usdcEntry(POLYGON, partner, entry.amountAtomic), usdcEntry(SOLANA, SOLANA_SELLER, entry.amountAtomic)],
    [{ ...entry, asset: EURC, payTo: partner, extra: { name: 'EURC', version: '2' } }],
    [],
  ][index % 4]
  return honest(kind, index, {
    phase: { entries: [entry, ...(others ?? [])] },
    knownFlags: ['payment_unsupported'],
  })
}

/** Honest hosts with several, new or changing receivers. */
export const HONEST_RECEIVERS: readonly HonestKind[] = [
  { kind: 'several-networks', count: 8, make: severalNetworks },
  { kind: 'adds-solana', count: 8, make: addsSolana },
  {
    kind: 'deposit-addresses',
    count: 8,
    make: (index) =>
      honest('deposit-addresses', index, {
        phase: { receivers: 'per_request' },
        knownFlags: ['payto_rotates'],
        isCautionByRule: true,
      }),
  },
  {
    kind: 'receiver-pool',
    count: 3,
    make: (index) => {
      const pool = [0, 1, 2].slice(0, 2 + (index % 2)).map((n) => addressOf(`pool ${index} ${n}`))
      return honest('receiver-pool', index, {
        phase: { receivers: { pool } },
        knownFlags: ['payto_rotates'],
        isCautionByRule: true,
      })
    },
  },
  { kind: 'announced-rotation', count: 8, make: announcedRotation },
  { kind: 'moves-network', count: 8, make: movesNetwork },
  { kind: 'split-receivers', count: 8, make: splitReceivers },
]
