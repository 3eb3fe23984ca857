import { usdToAtomic } from '@touchstone402/shared'
import type { AskedCall } from '../agents/agents.ts'
import { type CallRecord, OWNER } from '../books.ts'
import type { Seller } from '../outside/sellers.ts'
import { TOKENS } from '../setUp.ts'
import { Violation } from '../violation.ts'
import type { World } from '../world.ts'

/** After this every strike, day's budget and unused approval is over. */
const HEALING_MS = 26 * 3_600_000
const ANSWER_MS = 60_000

/**
 * Once everything outside works again, an honest seller is paid from a budget with room, and delivers. Ends the world.
 * @throws Violation
 */
export async function checkAlive(world: World): Promise<void> {
  world.trace.add('everything works again')
  await heal(world)
  // A cut or replaced ledger may be unfit to go on with.
  if (world.isTampered) return
  const seats = [OWNER, ...(world.setUp.signs ? [] : TOKENS.map(({ name }) => name))]
  for (const seller of world.sellers.filter(({ isHonest }) => isHonest)) {
    for (const seat of seats) if (hasRoom(world, seat, seller)) await expectDelivery(world, seat, seller)
  }
}

async function heal(world: World): Promise<void> {
  const { disk, rpcs, machines, operator, order, setUp } = world
  disk.fault = 'none'
  rpcs.fill('honest')
  world.walletMood = 'signs'
  // Without processes the time passes faster. A ledger in memory would not outlive them.
  if (setUp.ledger === 'file') machines.endAll()
  await order.pass(HEALING_MS)
  await machines.startAll()
  if (world.isTampered) return
  for (const seat of ['owner', 'proxy'] as const)
    if (machines.of(seat) === null)
      throw new Violation('alive', `the process of the ${seat} does not start again`)
  operator.resume()
  await order.pass(ANSWER_MS)
  world.check()
}

/** Whether budgets have room even if every signature that was ever made counts. */
function hasRoom({ books, setUp }: World, seat: string, { price }: Seller): boolean {
  const made = [...books.signatures.values()]
  const sum = (of: typeof made) => of.reduce((total, { usdMicros }) => total + usdMicros, price)
  const day = made.filter(({ madeAt }) => madeAt > books.now() - HEALING_MS)
  const { total, perDay, perHostDay, perReceiverDay } = setUp.policy
  const task = TOKENS.find(({ name }) => name === seat)
  const limits = [perDay, perHostDay, ...(perReceiverDay === null ? [] : [perReceiverDay])]
  return (
    (total === null || sum(made) <= total) &&
    (task === undefined || sum(made.filter((one) => one.seat === seat)) <= usdToAtomic(task.maxUsd)) &&
    limits.every((limit) => sum(day) <= limit)
  )
}

async function expectDelivery(world: World, seat: string, { host }: Seller): Promise<void> {
  const { agents, order } = world
  // A path that was not called before, so that it is no repetition.
  const asked: AskedCall = {
    host,
    path: '/alive',
    method: 'GET',
    body: '',
    fates: [],
    givesUpMs: null,
    reads: true,
  }
  const token = TOKENS.find(({ name }) => name === seat)
  const call: CallRecord | null = token === undefined ? agents.owner(asked) : agents.token(token, asked)
  await order.until(() => call?.isOver === true, ANSWER_MS)
  const outcome = call?.outcome
  if (outcome?.status !== 200 || outcome.paidBy === null)
    throw new Violation(
      'alive',
      `${seat} is not served by the honest ${host}: ${outcome?.status} ${outcome?.code}`,
    )
  world.check()
}
