import fc from 'fast-check'
import type { RpcMood } from '../outside/rpc.ts'
import { LEDGER_PATH } from '../process/machine.ts'
import type { World } from '../world.ts'
import { type Command, createCommand } from './command.ts'

/** Ends a process, or the whole machine, at any point. */
const kill = fc
  .record({
    machine: fc.nat(1),
    kept: fc.constantFrom(0, 0.5, 1),
    isBlank: fc.boolean(),
    isPower: fc.boolean(),
  })
  .map((data) =>
    createCommand(
      'a process is killed',
      data,
      (world) => {
        // A ledger in memory does not outlive its process.
        if (world.setUp.ledger === 'memory') return
        if (!data.isPower) return world.machines.kill(data.machine)
        world.machines.endAll()
        world.disk.cutPower(data.kept, data.isBlank)
      },
      { kind: 'kill' },
    ),
  )

/** The operator starts what has ended, and what its ledger has refused since. */
const restart = fc.boolean().map((isWhole) =>
  createCommand('processes start', { isWhole }, (world) => {
    if (isWhole && world.setUp.ledger === 'file') world.machines.endAll()
    return world.machines.startAll()
  }),
)

const disk = fc.constantFrom('none', 'none', 'full', 'syncFails').map((fault) =>
  createCommand('the disk changes', { fault }, (world) => {
    world.disk.fault = fault as World['disk']['fault']
  }),
)

/** Somebody removes the ledger, cuts it, or puts an older copy in its place. What was signed before no longer counts. */
const tamper = fc
  .record({ how: fc.constantFrom('removes', 'cuts', 'replaces'), share: fc.constantFrom(0, 0.3, 0.9) })
  .map((data) =>
    createCommand(
      'somebody changes the ledger',
      data,
      (world) => {
        const inode = world.disk.names.get(LEDGER_PATH)
        if (inode === undefined) return
        world.isTampered = true
        world.books.forgotten = world.books.signatures.size
        const lines = inode.data.toString().split('\n')
        const left = Buffer.from(
          lines
            .slice(0, Math.floor(lines.length * data.share))
            .map((line) => `${line}\n`)
            .join(''),
        )
        world.disk.tamper(LEDGER_PATH, data.how as 'removes', left)
      },
      { kind: 'tamper' },
    ),
  )

const MOODS: RpcMood[] = ['honest', 'honest', 'down', 'otherChain', 'old', 'ahead', 'lags', 'hidesUses']

const rpc = fc.record({ index: fc.nat(1), mood: fc.constantFrom(...MOODS) }).map((data) =>
  createCommand(
    'an RPC endpoint changes',
    data,
    ({ rpcs }) => {
      if (data.index >= rpcs.length) return
      // One endpoint alone is trusted, and of two one is honest.
      const mayLie = data.index === 0 && rpcs.length > 1
      if (data.mood !== 'hidesUses' || mayLie) rpcs[data.index] = data.mood
    },
    { kind: 'rpc' },
  ),
)

const wallet = fc.constantFrom('signs', 'signs', 'refuses', 'slow').map((mood) =>
  createCommand(
    'the wallet changes',
    { mood },
    (world) => {
      world.walletMood = mood as World['walletMood']
    },
    { kind: 'wallet' },
  ),
)

/** Commands that cause faults around the guard. */
export const faultCommands: fc.Arbitrary<Command>[] = [kill, restart, disk, tamper, rpc, wallet]
