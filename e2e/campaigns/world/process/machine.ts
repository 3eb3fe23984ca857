import type { PolicyInput } from '@touchstone402/guard'
import type { GuardedFetch } from '@touchstone402/guard/fetch'
import { toNonce } from '@touchstone402/shared/market'
import type { Books } from '../books.ts'
import { OWNER } from '../books.ts'
import { PAYER, signTyped } from '../outside/signer.ts'
import type { TokenSetUp } from '../setUp.ts'
import { type FakeServer, takeServer } from './fakeServer.ts'
import { createProcess, killProcess, type Process, type Surroundings } from './seams.ts'
import type { LoadedSlot } from './slots.ts'

/** Behavior of a wallet that is asked to sign. */
export type WalletMood = 'signs' | 'refuses' | 'slow'

/** How a machine is set up. */
export type MachineSetUp = {
  readonly name: string
  readonly seats: readonly ('owner' | 'proxy')[]
  readonly ledger: 'file' | 'memory'
  readonly policy: PolicyInput
  readonly rpcUrls: Readonly<Record<string, readonly string[]>>
  readonly tokens: readonly TokenSetUp[]
  readonly hosts: readonly string[]
  readonly signs: boolean
  readonly skewMs: number
}

/** The guard of one process, by its entry points. */
export type Machine = {
  readonly setUp: MachineSetUp
  readonly process: Process
  readonly ledger:
    | Awaited<ReturnType<LoadedSlot['guard']['createFileLedger']>>
    | ReturnType<LoadedSlot['guard']['createMemoryLedger']>
  readonly guard: ReturnType<LoadedSlot['guard']['createGuard']>
  /** The owner's seat, which is believed. */
  readonly pay: GuardedFetch
  /** The proxy, whose callers are not. */
  readonly server: FakeServer | null
  /** True time in ms at which it had read the ledger. */
  readonly openedAt: number
  reconcile(): Promise<unknown>
  readonly createProofs: LoadedSlot['guard']['createProofs']
}

export const LEDGER_FOLDER = '/ledger'
export const LEDGER_PATH = `${LEDGER_FOLDER}/spending.jsonl`
export const OPERATOR = 'secret-of-the-operator'

/** Starts a process with the guard in a slot. Rejects if its ledger cannot be opened. */
export async function startMachine(
  { slot, guard: loaded }: LoadedSlot,
  world: Surroundings & { readonly books: Books; readonly walletMood: WalletMood },
  setUp: MachineSetUp,
): Promise<Machine> {
  const process = createProcess(setUp.name, setUp.skewMs)
  Object.assign(slot, { process, world })
  const { rpcUrls, policy } = setUp
  try {
    const ledger =
      setUp.ledger === 'file' ? await loaded.createFileLedger(LEDGER_PATH) : loaded.createMemoryLedger()
    const account = createWallet(world, process)
    const upto = loaded.createUpto()
    const guard = loaded.createGuard({ policy, ledger, rpcUrls, upto, keepUrls: true })
    const fetch = (input: RequestInfo | URL, init?: RequestInit) => world.fetch(process, input, init)
    const pay = loaded.createGuardedFetch({ account, guard, fetch })
    const hasProxy = setUp.seats.includes('proxy')
    const server = hasProxy ? await startProxy(loaded, setUp, ledger, account) : null
    const reconcile = () =>
      loaded.reconcileLedger(ledger, { rpcUrls, fetch, upto, now: () => world.time.now() + setUp.skewMs })
    return {
      setUp,
      process,
      ledger,
      guard,
      pay,
      server,
      openedAt: world.time.now(),
      reconcile,
      createProofs: loaded.createProofs,
    }
  } catch (error) {
    killProcess(process)
    throw error
  }
}

async function startProxy(
  loaded: LoadedSlot['guard'],
  { tokens, policy, rpcUrls, hosts, signs }: MachineSetUp,
  ledger: Machine['ledger'],
  account: ReturnType<typeof createWallet>,
): Promise<FakeServer> {
  const started = loaded.startProxy({
    account,
    policy,
    ledger,
    rpcUrls,
    service: undefined,
    tasks: new Map(tokens.map(({ token, name, maxUsd }) => [token, { name, maxUsd }])),
    operator: OPERATOR,
    place: { port: 0 },
    allowHosts: hosts,
    signs,
    maxCalls: 800,
    maxIdle: 512,
    env: {},
  })
  const server = takeServer()
  await started
  return server
}

const SLOW_MS = 90_000

/** Creates the wallet as a process sees it. The books know each signature. */
function createWallet(world: Parameters<typeof startMachine>[1], process: Process) {
  const { books, order, time } = world
  return {
    address: PAYER,
    type: 'local' as const,
    async signTypedData(data: unknown): Promise<`0x${string}`> {
      const mood = world.walletMood
      const seat = books.context.getStore()?.seat ?? OWNER
      if (mood === 'slow') await new Promise<void>((resolve) => void time.after(SLOW_MS, resolve))
      return order.act(process, `wallet ${mood}`, () => {
        if (mood === 'refuses') throw new Error('The wallet refuses.')
        books.sign({ ...readMessage(data as Message), seat, process })
        return signTyped(data as Parameters<typeof signTyped>[0])
      })
    },
  }
}

type Message = {
  message: {
    nonce: unknown
    to?: unknown
    value?: unknown
    validBefore?: unknown
    permitted?: { amount: unknown }
    deadline?: unknown
    witness?: { to: unknown }
  }
}

/** Reads who can collect how much and until when: of a transfer (EIP-3009), or of a permit of the scheme upto. */
function readMessage({ message }: Message) {
  const { nonce, permitted, witness } = message
  return {
    nonce: permitted === undefined ? String(nonce).toLowerCase() : toNonce(String(nonce)),
    to: String(witness?.to ?? message.to),
    usdMicros: BigInt(String(permitted?.amount ?? message.value)),
    validBefore: Number(message.deadline ?? message.validBefore),
  }
}
