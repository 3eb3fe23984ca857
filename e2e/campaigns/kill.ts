import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Economy, start, USDC } from '@touchstone402/economy'
import { reconcileClaims } from '@touchstone402/server/parts'
import { databaseHome, folderHome, type Home } from './kill/homes.ts'
import { createPayers } from './kill/payers.ts'
import { type Acknowledged, countLost, countUnseen, note, nothing, tasksOf } from './kill/records.ts'

const VICTIM = fileURLToPath(new URL('./kill/victim.ts', import.meta.url))

/**
 * Kills a selling, crawling and writing process at random, again and again, on one data folder and on one database,
 * and counts what was lost.
 *
 * The bar: nothing that was acknowledged is lost, no file is corrupt, and money and answers agree.
 */
export async function run({ short }: { short: boolean }) {
  const economy = await start({ sellers: [], clock: 'real' })
  try {
    const parts = [
      await killOn(await folderHome(), economy, short ? 8 : 300),
      await killOn(await databaseHome(), economy, short ? 4 : 100),
    ]
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
    const { acknowledgedLost, corrupt, doubleCharged, deliveredUnpaid } = figures
    const didWork = parts.every((part) => part.delivered > 0 && part.acknowledged > part.kills)
    return { ok: didWork && acknowledgedLost + corrupt + doubleCharged + deliveredUnpaid === 0, figures }
  } finally {
    await economy.stop()
  }
}

async function killOn(home: Home, economy: Economy, kills: number) {
  const payers = await createPayers(economy, USDC)
  const rounds: Acknowledged[] = []
  let corrupt = 0
  let acknowledgedLost = 0
  try {
    for (let round = 0; round < kills; round++) {
      const acknowledged = nothing()
      rounds.push(acknowledged)
      const victim = await startVictim(home, round, economy, acknowledged)
      await home.offer(tasksOf(round))
      acknowledged.offered = tasksOf(round)
      const stopPaying = new AbortController()
      const paying = payers.pay(victim.origin, stopPaying.signal)
      await sleep(100 + Math.random() * 1200)
      victim.child.kill('SIGKILL')
      await victim.gone
      stopPaying.abort()
      await paying
      const checked = await check(home, economy, [round], rounds)
      corrupt += checked.corrupt + victim.corrupt()
      acknowledgedLost += checked.lost
      if (round % 10 === 9 || round === kills - 1) {
        process.stderr.write(`${home.name}: ${round + 1} of ${kills} kills, ${acknowledgedLost} lost\n`)
      }
    }
    const last = await startVictim(home, kills, economy, nothing())
    await payers.finish(last.origin)
    last.child.kill('SIGKILL')
    await last.gone
    await home.finish(rounds.flatMap((round) => round.offered))
    const everything = await check(home, economy, rounds.keys(), rounds, true)
    const acknowledged = rounds.reduce((sum, one) => sum + one.pairs.size + one.observations, 0)
    return {
      kills,
      acknowledged,
      acknowledgedLost: acknowledgedLost + everything.lost,
      corrupt: corrupt + everything.corrupt,
      ...(await payers.tally()),
    }
  } finally {
    await home.remove()
  }
}

type Victim = { child: ChildProcess; origin: string; gone: Promise<unknown>; corrupt(): number }

async function startVictim(
  home: Home,
  round: number,
  economy: Economy,
  acknowledged: Acknowledged,
): Promise<Victim> {
  const settings = {
    place: home.place,
    round,
    facilitatorUrl: economy.facilitator.url,
    payTo: economy.wallets.service.address,
    network: economy.chain.network,
  }
  const args = [...process.execArgv, VICTIM, JSON.stringify(settings)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  // Its last words have been read only when the pipe is closed.
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

/** Opens what a kill left, counts what is missing, and brings open payments to an end by the chain. */
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
