import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Economy, start } from '@touchstone402/economy'
import { reconcileClaims } from '@touchstone402/server/parts'
import { buildVictim } from './buildVictim.ts'
import { databaseHome, folderHome, type Home } from './homes.ts'
import { createPayers, fundPayers, type Payers } from './payers.ts'
import { type Acknowledged, countLost, countUnseen, note, nothing, tasksOf } from './records.ts'

/** Kills per store. A store grows with each kill and is re-read after each, so it is replaced regularly. */
const KILLS_PER_HOME = 25
/** Time after which a victim without progress is killed as well, in ms. */
const MAX_LIFE_MS = 10_000

/**
 * Repeatedly kills a process that sells, crawls and writes at random moments, on data folders and on a database, and
 * counts lost records. Three lanes run concurrently, each with its own store and receiver.
 *
 * The bar: no acknowledged record is lost, no file is corrupt, and payments match deliveries.
 */
export async function run({ short }: { short: boolean }) {
  const economy = await start({ sellers: [], clock: 'real' })
  const victim = await buildVictim()
  try {
    const scene = { economy, victimFile: victim.file }
    await fundPayers(economy)
    const parts = await Promise.all([
      killOn(scene, folderHome, short ? 4 : 150),
      killOn(scene, folderHome, short ? 4 : 150),
      killOn(scene, databaseHome, short ? 4 : 100),
    ])
    const sum = (key: keyof (typeof parts)[number]) => parts.reduce((total, part) => total + part[key], 0)
    const figures = {
      kills: sum('kills'),
      acknowledgedLost: sum('acknowledgedLost'),
      corrupt: sum('corrupt'),
      doubleCharged: sum('doubleCharged'),
      deliveredUnpaid: sum('deliveredUnpaid'),
      paidUndelivered: sum('paidUndelivered'),
      acknowledged: sum('acknowledged'),
      payments: sum('payments'),
      delivered: sum('delivered'),
    }
    const { acknowledgedLost, corrupt, doubleCharged, deliveredUnpaid, paidUndelivered } = figures
    const didWork = parts.every((part) => part.delivered > 0 && part.acknowledged > part.kills)
    const lost = acknowledgedLost + corrupt + doubleCharged + deliveredUnpaid + paidUndelivered
    return { ok: didWork && lost === 0, figures }
  } finally {
    await victim.remove()
    await economy.stop()
  }
}

type Scene = { readonly economy: Economy; readonly victimFile: string }

async function killOn(scene: Scene, openHome: () => Promise<Home>, kills: number) {
  const payers = createPayers(scene.economy)
  const total = { kills: 0, acknowledged: 0, acknowledgedLost: 0, corrupt: 0 }
  while (total.kills < kills) {
    const home = await openHome()
    try {
      const rounds = Math.min(KILLS_PER_HOME, kills - total.kills)
      const part = await killInHome(scene, home, payers, rounds)
      total.kills += rounds
      total.acknowledged += part.acknowledged
      total.acknowledgedLost += part.lost
      total.corrupt += part.corrupt
      process.stderr.write(
        `${home.name}: ${total.kills} of ${kills} kills, ${total.acknowledgedLost} lost, ${total.corrupt} corrupt\n`,
      )
    } finally {
      await home.remove()
    }
  }
  return { ...total, ...(await payers.tally()) }
}

async function killInHome(scene: Scene, home: Home, payers: Payers, kills: number) {
  const { economy } = scene
  const rounds: Acknowledged[] = []
  const found = { corrupt: 0, lost: 0 }
  const note = ({ corrupt, lost }: typeof found) => {
    found.corrupt += corrupt
    found.lost += lost
  }
  for (let round = 0; round < kills; round++) {
    const acknowledged = nothing()
    rounds.push(acknowledged)
    const victim = await startVictim(scene, home, round, payers.payTo, acknowledged)
    await home.offer(tasksOf(round))
    acknowledged.offered = tasksOf(round)
    const stopPaying = new AbortController()
    const paying = payers.pay(victim.origin, stopPaying.signal)
    await someWork(acknowledged, payers)
    victim.child.kill('SIGKILL')
    await victim.gone
    stopPaying.abort()
    await paying
    note(await check(home, economy, [round], rounds))
    note({ corrupt: victim.corrupt(), lost: 0 })
  }
  // Twice, since an interrupted settlement may reach the chain after the first look-up.
  for (const round of [kills, kills + 1]) {
    const last = await startVictim(scene, home, round, payers.payTo, nothing())
    await payers.finish(last.origin)
    last.child.kill('SIGKILL')
    await last.gone
    note(await check(home, economy, [], rounds))
  }
  await home.finish(rounds.flatMap((round) => round.offered))
  note(await check(home, economy, rounds.keys(), rounds, true))
  const acknowledged = rounds.reduce((sum, one) => sum + one.pairs.size + one.observations, 0)
  return { ...found, acknowledged }
}

/** Resolves after a random amount of the victim's work, so that the moment does not depend on the machine's speed. */
async function someWork(acknowledged: Acknowledged, payers: Payers): Promise<void> {
  const records = Math.random() * 600
  const ended = payers.ended() + Math.floor(Math.random() * 8)
  for (const latest = Date.now() + MAX_LIFE_MS; Date.now() < latest; await sleep(5)) {
    if (acknowledged.pairs.size + acknowledged.observations >= records && payers.ended() >= ended) break
  }
  await sleep(Math.random() * 50)
}

type Victim = { child: ChildProcess; origin: string; gone: Promise<unknown>; corrupt(): number }

async function startVictim(
  { economy, victimFile }: Scene,
  home: Home,
  round: number,
  payTo: string,
  acknowledged: Acknowledged,
): Promise<Victim> {
  const settings = {
    place: home.place,
    round,
    facilitatorUrl: economy.facilitator.url,
    payTo,
    network: economy.chain.network,
  }
  const child = spawn(process.execPath, [victimFile, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Its output is complete only once the pipe is closed.
  const gone = once(child, 'close')
  let corrupt = 0
  const port = await new Promise<string>((resolve, reject) => {
    void gone.then(() => reject(new Error('the victim ended before it was ready')))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [word = '', rest = ''] = line.split(/ (.*)/)
      if (word === 'ready') resolve(rest)
      if (word === 'ack') note(acknowledged, rest)
      if (word === 'report' && rest.includes('"corrupt_')) corrupt += 1
    })
  })
  return { child, origin: `http://127.0.0.1:${port}`, gone, corrupt: () => corrupt }
}

/** Opens the store after a kill, counts missing records, and resolves open claims with on-chain state. */
async function check(
  home: Home,
  economy: Economy,
  numbers: Iterable<number>,
  rounds: readonly Acknowledged[],
  crawlIsOver = false,
): Promise<{ lost: number; corrupt: number }> {
  let corrupt = 0
  let lost = 0
  const store = await home.open(() => {
    corrupt += 1
  })
  for (const number of numbers) {
    const acknowledged = rounds[number] ?? nothing()
    lost += await countLost(store, number, acknowledged)
    if (crawlIsOver && 'url' in home.place) lost += await countUnseen(store, acknowledged)
  }
  const { publicClient: chain, network } = economy.chain
  const atOnce = { abandonedAfterMs: 0, settlingAfterMs: 0 }
  await reconcileClaims({ claims: store.claims, chain, network, ...atOnce })
  await store.close()
  return { lost, corrupt }
}
