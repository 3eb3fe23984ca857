import type { Facts } from '../facts.ts'
import { OPERATOR } from '../process/machine.ts'
import type { Machines } from '../process/machines.ts'
import { readJson } from './outcomes.ts'

/** The person whose wallet it is. */
export type Operator = ReturnType<typeof createOperator>

const ADDRESS = 'http://127.0.0.1:4402'
const CLIENT_NONCE = 'n'.repeat(43)

/** Creates the operator of a world. Nothing is awaited by the commands of a world, since it may never come. */
export function createOperator(facts: Facts, machines: Machines) {
  const { trace } = facts
  /** Sends a proven command to the proxy. */
  const command = async (method: 'GET' | 'POST', path: string) => {
    const machine = machines.of('proxy')
    if (machine?.server == null) return undefined
    const { server, createProofs } = machine
    const headers = { 'Touchstone-Nonce': CLIENT_NONCE }
    const greeting = await server.call({ method: 'POST', url: '/operator', headers }).answer
    const nonce = String(readJson(greeting?.text ?? '')?.nonce)
    const nonces = { client: CLIENT_NONCE, server: nonce }
    const proof = createProofs(OPERATOR, ADDRESS).ofCommand(nonces, { method, path })
    const proven = { 'Touchstone-Operator': `${CLIENT_NONCE} ${nonce} ${proof}` }
    const answer = await server.call({ method, url: path, headers: proven }).answer
    return readJson(answer?.text ?? '')
  }
  const quietly = (work: Promise<unknown>) => {
    work.catch((error: unknown) => trace.add(`operator: ${error instanceof Error ? error.message : error}`))
  }
  const every = (work: (machine: ReturnType<Machines['all']>[number]) => Promise<unknown>) => {
    for (const machine of machines.all()) quietly(work(machine))
  }
  return {
    /** Answers every question that waits. */
    answerAll(isApproved: boolean): void {
      const answer = async () => {
        const pending = (await command('GET', '/operator/approvals'))?.pending
        for (const { id } of Array.isArray(pending) ? pending : []) {
          trace.add(`operator ${isApproved ? 'approves' : 'refuses'} ${id}`)
          await command('POST', `/operator/approvals/${id}/${isApproved ? 'approve' : 'refuse'}`)
        }
      }
      quietly(answer())
    },
    stop: () => every(({ guard }) => guard.stop()),
    resume: () => every(({ guard }) => guard.resume()),
    reconcile: () => every((machine) => machine.reconcile()),
    clearStrikes: () =>
      every(async ({ guard }) => {
        for (const { host } of facts.sellers) await guard.clearStrike(host)
      }),
    /** Seals the file of the ledger and begins the next one. */
    compact: () =>
      every(async ({ ledger }) => {
        if ('compact' in ledger) await ledger.compact()
      }),
  }
}
