import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Economy, start } from '@touchstone402/economy'
import type { RunOptions } from '../../readOptions.ts'
import { bundleVictim } from '../../support/bundleVictim.ts'
import { type Child, startChild } from '../../support/child.ts'
import { add, check, copyMany, isFaulty, NONE, type Tally } from './checks.ts'
import { databaseHome, finish, folderHome, type Home } from './homes.ts'
import { createPayers, fundPayers, type Payers } from './payers.ts'
import { type Acknowledged, countOf, note, nothing } from './records.ts'
import { hostsOf } from './work.ts'

export const numbers = ['busy']

/** Kills per store. A store grows with each kill and is re-read after each, so it is replaced regularly. */
const KILLS_PER_HOME = 25
/** Time after which a victim without progress is killed as well, in ms. */
const MAX_LIFE_MS = 10_000
/** Distance of the probes' numbers between rounds, above the number of concurrent writes. */
const GAP = 100

/**
 * A killed service loses nothing that it acknowledged, charges no client twice and owes none an answer.
 *
 * Kills a process that sells, crawls, writes and drops old probes at random moments, on data folders and on a database, while
 * another process copies the folder, and counts lost records. Two lanes run concurrently, each with its own receiver.
 * `--busy N` keeps so many cores busy meanwhile, since processes that wait for one meet moments that others pass.
 *
 * The bar: no acknowledged record is lost or there in part, in the store or in a copy, no store is corrupt, totals equal
 * counting again, and payments match deliveries.
 */
export async function run({ short, numbers: given }: RunOptions) {
  const economy = await start({ sellers: [], clock: 'real' })
  // It starts 400 times, and most of each start would be module loading.
  const victim = await bundleVictim('kill', new URL('./victim.ts', import.meta.url))
  const loops = Array.from({ length: given.get('busy') ?? 0 }, () => new Worker('for (;;);', { eval: true }))
  try {
    const scene = { economy, victimFile: victim.file }
    await fundPayers(economy)
    const parts = await Promise.all([
      killOn(scene, folderHome, short ? 5 : 240),
      killOn(scene, databaseHome, short ? 5 : 160),
    ])
    const sum = (key: keyof (typeof parts)[number]) => parts.reduce((total, part) => total + part[key], 0)
    const others = Object.keys(NONE).filter((key) => key !== 'lost') as (keyof Tally)[]
    const paid = ['doubleCharged', 'deliveredUnpaid', 'paidUndelivered', 'payments', 'delivered'] as const
    const figures = {
      kills: sum('kills'),
      acknowledgedLost: sum('lost'),
      ...(Object.fromEntries([...others, ...paid].map((key) => [key, sum(key)])) as Omit<Tally, 'lost'> &
        Record<(typeof paid)[number], number>),
    }
    const { acknowledgedLost, wrongTotals, corrupt, doubleCharged, deliveredUnpaid, paidUndelivered } =
      figures
    const didWork =
      parts.every((part) => part.delivered > 0 && part.acknowledged > part.kills) &&
      figures.dropped > 0 &&
      figures.copies > 0 &&
      (short || figures.killsDuringCopy > 0)
    const charged = doubleCharged + deliveredUnpaid + paidUndelivered
    return { ok: didWork && acknowledgedLost + wrongTotals + corrupt + charged === 0, figures }
  } finally {
    await Promise.all(loops.map((loop) => loop.terminate()))
    await victim.remove()
    await economy.stop()
  }
}

type Scene = { readonly economy: Economy; readonly victimFile: string }

/** Kills on one store after another. The first fault ends it, and the store is kept as it was then. */
async function killOn(scene: Scene, openHome: () => Promise<Home>, kills: number) {
  const payers = createPayers(scene.economy)
  const total = { ...NONE, kills: 0 }
  while (total.kills < kills && !isFaulty(total)) {
    const home = await openHome()
    let isSound = false
    try {
      const found = await killInHome(scene, home, payers, Math.min(KILLS_PER_HOME, kills - total.kills))
      add(total, found)
      total.kills += found.kills
      isSound = !isFaulty(found)
      process.stderr.write(
        `${home.name}: ${total.kills} kills, ${total.lost} lost, ${total.corrupt} corrupt\n`,
      )
    } finally {
      if (isSound) await home.remove()
      else process.stderr.write(`${home.name}: the store is kept in ${await home.keep()}\n`)
    }
  }
  return { ...total, ...(await payers.tally()) }
}

async function killInHome(scene: Scene, home: Home, payers: Payers, kills: number) {
  const { economy, victimFile } = scene
  const rounds: Acknowledged[] = []
  const found = { ...NONE }
  const tally = () => ({
    ...found,
    kills: rounds.length,
    acknowledged: rounds.reduce((sum, one) => sum + countOf(one), 0),
  })
  const copier = startChild(victimFile, { settings: { place: home.place, copies: true } })
  const copy = (target: string) => copier.ask({ target })
  let from = 0
  const begin = async (): Promise<[Acknowledged, Victim]> => {
    const acknowledged = nothing()
    const victim = await startVictim(scene, home, { round: rounds.length, from }, payers.payTo, acknowledged)
    rounds.push(acknowledged)
    return [acknowledged, victim]
  }
  const end = async (acknowledged: Acknowledged, victim: Victim) => {
    if (victim.child.process.exitCode !== null) throw new Error('the victim ended by itself')
    await victim.child.kill()
    from = Math.max(from, acknowledged.newest) + GAP
  }
  try {
    for (let round = 0; round < kills; round++) {
      const [acknowledged, victim] = await begin()
      const killing = new AbortController()
      const paying = payers.pay(victim.origin, killing.signal)
      const copying = copyMany(home, round, acknowledged, { copy, killed: killing.signal })
      await someWork(acknowledged, payers)
      await end(acknowledged, victim)
      killing.abort()
      await paying
      add(found, await copying)
      add(found, { ...(await check(home, economy, rounds, [round])), dropped: 0 })
      if (isFaulty(found)) return tally()
    }
    // Twice, since an interrupted settlement may reach the chain after the first look-up.
    for (const _ of ['first', 'second']) {
      const [acknowledged, victim] = await begin()
      await payers.finish(victim.origin)
      await end(acknowledged, victim)
      add(found, { ...(await check(home, economy, rounds, [])), dropped: 0 })
      if (isFaulty(found)) return tally()
    }
    const offered = rounds.flatMap(({ isOffered }, round) => (isOffered ? hostsOf(round) : []))
    add(found, { lost: await finish(home, offered) })
    add(found, await check(home, economy, rounds, rounds.keys()))
  } finally {
    await copier.kill()
  }
  return tally()
}

/** Resolves after a random amount of the victim's work, so that the moment does not depend on the machine's speed. */
async function someWork(acknowledged: Acknowledged, payers: Payers): Promise<void> {
  const records = Math.random() * 600
  const ended = payers.ended() + Math.floor(Math.random() * 8)
  for (const latest = Date.now() + MAX_LIFE_MS; Date.now() < latest; await sleep(5)) {
    if (countOf(acknowledged) >= records && payers.ended() >= ended) break
  }
  await sleep(Math.random() * 50)
}

type Victim = { child: Child; origin: string }

async function startVictim(
  { economy, victimFile }: Scene,
  home: Home,
  numbers: { readonly round: number; readonly from: number },
  payTo: string,
  acknowledged: Acknowledged,
): Promise<Victim> {
  const settings = {
    place: home.place,
    ...numbers,
    facilitatorUrl: economy.facilitator.url,
    payTo,
    network: economy.chain.network,
  }
  const child = startChild(victimFile, {
    settings,
    onLine(line) {
      const [word = '', rest = ''] = line.split(/ (.*)/)
      if (word === 'ack') note(acknowledged, rest)
      if (word === 'fault') process.stderr.write(`${home.name}: ${rest}\n`)
    },
  })
  return { child, origin: await child.hear() }
}
