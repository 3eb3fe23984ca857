import { createFacilitator, type SignedTransfer } from '@touchstone402/shared/market'
import { seededRandom } from '@touchstone402/shared/testing'
import type { Scheduler } from 'fast-check'
import { createAgents } from './agents/agents.ts'
import { createHandSigner } from './agents/handSigner.ts'
import { createOperator } from './agents/operator.ts'
import { createBooks } from './books.ts'
import type { Facts } from './facts.ts'
import { checkWorld } from './invariants/index.ts'
import { checkLeaving } from './invariants/leaving.ts'
import type { Mutation } from './mutations.ts'
import { createChain, NETWORK } from './outside/chain.ts'
import { createDisk } from './outside/disk.ts'
import { createFetch } from './outside/network.ts'
import { createOrder } from './outside/order.ts'
import type { Seller } from './outside/sellers.ts'
import { createTime } from './outside/time.ts'
import { createTrace } from './outside/trace.ts'
import { LEDGER_FOLDER, type MachineSetUp } from './process/machine.ts'
import { createMachines } from './process/machines.ts'
import { giveSlot, takeSlot } from './process/slots.ts'
import { type SetUp, TOKENS, toPolicy } from './setUp.ts'

/** A world with its guards and agents. */
export type World = Awaited<ReturnType<typeof createWorld>>

const BALANCE = 1_000_000_000n
const THIEF = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

function createFacts(setUp: SetUp, scheduler: Scheduler): Facts {
  const time = createTime()
  const trace = createTrace(time.now)
  const order = createOrder(scheduler, time, trace)
  const books = createBooks(time.now)
  const chain = createChain(time, BALANCE)
  const disk = createDisk()
  const folder = disk.create(true, 0o700)
  disk.names.set(LEDGER_FOLDER, folder)
  disk.sync(folder)
  const held: SignedTransfer[] = []
  let challenges = 0
  const sellers: Seller[] = setUp.sellers.map(({ price, ...one }, index) => ({
    ...one,
    price: BigInt(price),
    payTo: `0x${`${index + 1}`.repeat(40)}`,
    answered: new Map(),
  }))
  const rpcs = [...setUp.rpcs]
  const market = {
    // The wallet is the only one who signs, and the books know each signature.
    facilitator: createFacilitator(chain, ({ nonce, value, to }) => {
      const known = books.signatures.get(nonce)
      return known !== undefined && known.usdMicros === BigInt(value) && known.to === to
    }),
    thief: THIEF,
    held,
    nextId: () => ++challenges,
  }
  const facts: Facts = {
    setUp,
    time,
    trace,
    order,
    books,
    chain,
    disk,
    sellers,
    rpcs,
    market,
    held,
    walletMood: 'signs',
    isTampered: false,
    violation: null,
    random: seededRandom(setUp.seed),
    fetch: createFetch({
      time,
      order,
      books,
      chain,
      sellers,
      rpcs,
      market,
      onLeave: (call, nonce) => checkLeaving(facts, call, nonce),
    }),
  }
  return facts
}

/** Creates a world and starts its guards. */
export async function createWorld(setUp: SetUp, scheduler: Scheduler, mutation: Mutation | null) {
  const facts = createFacts(setUp, scheduler)
  const slots = [await takeSlot(mutation)]
  if (setUp.ledger === 'file') slots.push(await takeSlot(mutation))
  const machineSetUp: Omit<MachineSetUp, 'name' | 'seats'> = {
    ledger: setUp.ledger,
    policy: toPolicy(setUp.policy),
    rpcUrls:
      setUp.rpcs.length === 0 ? {} : { [NETWORK]: setUp.rpcs.map((_, index) => `http://rpc${index}.world`) },
    tokens: TOKENS,
    hosts: facts.sellers.map(({ host }) => host),
    signs: setUp.signs,
    skewMs: setUp.skewMs,
  }
  const machines = createMachines(facts, slots, machineSetUp)
  await machines.startAll()
  const agents = createAgents(facts, machines)
  const people = {
    agents,
    handSigner: createHandSigner(facts, agents),
    operator: createOperator(facts, machines),
  }
  const world = Object.assign(facts, { machines, ...people })
  return Object.assign(world, {
    /** Checks every invariant. @throws Violation */
    check: () => checkWorld(world),
    /** Ends all processes. */
    async end(): Promise<void> {
      machines.endAll()
      for (const slot of slots) await giveSlot(mutation, slot)
    },
  })
}
