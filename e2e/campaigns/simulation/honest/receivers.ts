import { announcingAmount, rotationMessage } from '@touchstone402/server/testing'
import { asks, honest, type Kind } from '../parts.ts'
import { accountOf, addressOf, BASE, POLYGON, SOLANA, SOLANA_SELLER, usdcEntry } from '../world/names.ts'

const VALID_FROM = '2026-01-02T00:00:00Z'
/** Circle's EURC on Base. */
const EURC = '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'
const OTHER_NETWORKS = ['unverifiable', 'payment_unsupported', 'terms_new', 'terms_unproven']
/** Receivers that rotate without a word: the score never calls their hosts safe. */
const ROTATES = { knownFlags: ['payto_rotates'], isCautionByRule: true }

/** Signs a change of receiver with the old one. */
async function signedRotation(host: string, network: string, newPayTo: string) {
  const terms = { host, network, oldPayTo: addressOf(host), newPayTo, validFrom: VALID_FROM }
  const signature = await accountOf(host).signMessage({ message: rotationMessage(terms) })
  return { network, newPayTo, validFrom: VALID_FROM, signature }
}

/** Honest hosts with several, new or changing receivers. */
export const HONEST_RECEIVERS: readonly Kind[] = [
  honest('several-networks', 4, async ({ index, host, entry }) => {
    const polygon = usdcEntry(POLYGON, addressOf(`${host} polygon`), entry.amountAtomic)
    const all = [entry, polygon, usdcEntry(SOLANA, SOLANA_SELLER, entry.amountAtomic)]
    const wellKnown = JSON.stringify({ rotations: [await signedRotation(host, POLYGON, polygon.payTo)] })
    // Some add networks over time, by the old receiver's word, some drop one, some do not offer Base.
    const phases = [
      [asks(0, all)],
      [asks(0, all.slice(0, 1)), asks(3, all, { wellKnown })],
      [asks(0, all), asks(3, all.slice(1))],
      [asks(0, all.slice(1))],
    ][index % 4]
    return { phases: phases ?? [], knownFlags: OTHER_NETWORKS }
  }),
  honest('adds-solana', 4, ({ index, day, entry }) => {
    const solana = usdcEntry(SOLANA, SOLANA_SELLER, entry.amountAtomic)
    const after = index % 2 === 0 ? [entry, solana] : [solana, entry]
    return { phases: [asks(0, [entry]), asks(day, after)], knownFlags: ['terms_new'] }
  }),
  honest('deposit-addresses', 2, () => ({ phase: { receivers: 'per_request' }, ...ROTATES })),
  honest('receiver-pool', 2, ({ index }) => {
    const pool = [0, 1, 2].slice(0, 2 + (index % 2)).map((n) => addressOf(`pool ${index} ${n}`))
    return { phase: { receivers: { pool } }, ...ROTATES }
  }),
  honest('announced-rotation', 4, async ({ index, day, host, entry }) => {
    const payTo = addressOf(`${host} next`)
    const after = { ...entry, payTo }
    const phases = [asks(0, [entry]), asks(day, [after])]
    const change = { host, network: BASE, oldPayTo: entry.payTo, newPayTo: payTo }
    const amountAtomic = `${announcingAmount(change)}`
    if (index % 4 === 3)
      return { phases, funding: [{ atDay: day - 1, from: entry.payTo, to: payTo, amountAtomic }] }
    const rotation = await signedRotation(host, BASE, payTo)
    const wellKnown = JSON.stringify(index % 4 === 0 ? rotation : { version: 1, rotations: [rotation] })
    return { phases: [asks(0, [entry]), asks(day, [after], { wellKnown })] }
  }),
  // Moves from Base to another network: with the same key, or announced by the old receiver, with an overlap or without.
  honest('moves-network', 4, async ({ index, day, host, entry }) => {
    const polygon = addressOf(`${host} polygon`)
    const payTo = [entry.payTo, polygon, polygon, SOLANA_SELLER][index % 4] ?? entry.payTo
    const after = usdcEntry(index % 4 === 3 ? SOLANA : POLYGON, payTo, entry.amountAtomic)
    const wellKnown = JSON.stringify({ rotations: [await signedRotation(host, after.network, payTo)] })
    const words = index % 4 === 0 ? {} : { wellKnown }
    const phases =
      index % 4 === 2
        ? [asks(0, [entry]), asks(day, [after], words)]
        : [asks(0, [entry]), asks(day, [entry, after], words), asks(day + 2, [after], words)]
    return { phases, knownFlags: OTHER_NETWORKS }
  }),
  // Splits its income by route, by network, by asset, or with a contract.
  honest('split-receivers', 4, ({ index, host, entry }) => {
    const partner = addressOf(`${host} partner`)
    if (index % 4 === 0) {
      const to = ({ path }: { path: string }) => path === '/pro'
      const shown = { to, entries: [{ ...entry, payTo: partner }] }
      return { paths: ['/api', '/pro'], phase: { shown } }
    }
    const networks = [
      usdcEntry(POLYGON, partner, entry.amountAtomic),
      usdcEntry(SOLANA, SOLANA_SELLER, entry.amountAtomic),
    ]
    const euro = { ...entry, asset: EURC, payTo: partner, extra: { name: 'EURC', version: '2' } }
    const others = index % 4 === 1 ? networks : index % 4 === 2 ? [euro] : []
    return { phase: { entries: [entry, ...others] }, knownFlags: ['payment_unsupported'] }
  }),
]
