import type * as Guard from '@touchstone402/guard'
import type * as GuardedFetch from '@touchstone402/guard/fetch'
import type * as Ledger from '@touchstone402/guard/ledger'
import type * as Upto from '@touchstone402/guard/upto'
import { seededRandom } from '@touchstone402/shared/testing'
import { bundleGuard, type GuardProgram } from '../loadGuard.ts'
import type { Mutation } from '../mutations.ts'
import { createProcess, createSeams, type Slot } from './seams.ts'

/** The proxy, which the guard's package does not export: agents reach it by HTTP alone. */
type StartProxy = (options: {
  account: GuardedFetch.GuardedFetchOptions['account']
  policy: Guard.PolicyInput
  ledger: Guard.Ledger
  rpcUrls: Readonly<Record<string, string | readonly string[]>>
  service: undefined
  tasks: ReadonlyMap<string, { name: string; maxUsd: string }>
  operator: string
  place: { port: number }
  allowHosts: readonly string[]
  signs: boolean
  maxCalls: number
  maxIdle: number
  env: Readonly<Record<string, string | undefined>>
}) => Promise<{ address: string; stop(): Promise<void> }>

/** Proofs of the operator, by which commands reach the proxy. */
type CreateProofs = (
  secret: string,
  address: string,
) => {
  ofCommand(nonces: { client: string; server: string }, command: { method: string; path: string }): string
}

/** Entry points of a guard that was loaded into a slot. */
export type LoadedGuard = {
  readonly createGuard: typeof Guard.createGuard
  readonly createMemoryLedger: typeof Guard.createMemoryLedger
  readonly createGuardedFetch: typeof GuardedFetch.createGuardedFetch
  readonly createFileLedger: typeof Ledger.createFileLedger
  readonly reconcileLedger: typeof Ledger.reconcileLedger
  readonly startProxy: StartProxy
  readonly createProofs: CreateProofs
  readonly createUpto: typeof Upto.createUpto
}

/** A slot with the guard in it. */
export type LoadedSlot = { readonly slot: Slot; readonly guard: LoadedGuard }

/** The guard of one mutation, and the slots that no process is in. */
type Bundle = { readonly program: GuardProgram; readonly idle: LoadedSlot[] }

const bundles = new Map<string, Promise<Bundle>>()

function loadBundle(mutation: Mutation | null): Promise<Bundle> {
  const name = mutation?.name ?? ''
  const bundle = bundles.get(name) ?? bundleGuard(mutation).then((program) => ({ program, idle: [] }))
  bundles.set(name, bundle)
  return bundle
}

/** Takes a slot that no process is in. */
export async function takeSlot(mutation: Mutation | null): Promise<LoadedSlot> {
  const { program, idle } = await loadBundle(mutation)
  const known = idle.pop()
  if (known !== undefined) return known
  // Its files draw keys as they are loaded. A world comes before they do anything else.
  const slot = { process: createProcess('loading', 0), world: { random: seededRandom(0) } } as Slot
  return { slot, guard: program(createSeams(slot)) as LoadedGuard }
}

/** Gives a slot back. */
export async function giveSlot(mutation: Mutation | null, slot: LoadedSlot): Promise<void> {
  const { idle } = await loadBundle(mutation)
  idle.push(slot)
}
