import type { Socket } from 'node:net'
import { readCode, UnreachedError } from './errors.ts'
import type { ReachWitness } from './witnessReach.ts'

/**
 * Watches a socket before it connects, and reports the result to the witness.
 * @param place `host:port`
 * @returns a function to call once with the error that ended the dial; returns the error to blame for it
 */
export function watchDial(socket: Socket, place: string, witness: ReachWitness): (error: unknown) => unknown {
  const silent = new Set<string>()
  let isOpen = false
  const note = (error: unknown) => {
    if (error instanceof AggregateError) error.errors.forEach(note)
    else if (readCode(error) !== 'ETIMEDOUT') silent.delete(readAddress(error))
  }
  socket.on('connectionAttempt', (address) => silent.add(address))
  socket.on('connectionAttemptFailed', (_address, _port, _family, error) => note(error))
  socket.once('connect', () => {
    isOpen = true
    const address = socket.remoteAddress
    if (address !== undefined) witness.opened({ address, place })
  })
  return (error) => {
    if (isOpen) return error
    // Node emits no event for a single address that fails at once.
    note(error)
    // No short-circuit: the witness counts every silent address.
    const theirs = [...silent].map((address) => witness.unanswered({ address, place }))
    return theirs.includes(false) ? new UnreachedError(error) : error
  }
}

function readAddress(error: unknown): string {
  return error instanceof Error && 'address' in error ? String(error.address) : ''
}
