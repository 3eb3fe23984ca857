import type { Socket } from 'node:net'
import { readCode } from './resolveHost.ts'
import type { ReachWitness } from './witnessReach.ts'

/** Nothing came back from where we dialled, and nothing says that our own way out is open. */
export class UnreachedError extends Error {
  override readonly name = 'UnreachedError'
  constructor(cause: unknown) {
    super('no answer, and no word that our own way out is open', { cause })
  }
}

/**
 * Watches a socket that is about to dial, and tells the witness what became of it.
 * @param place `host:port`
 * @returns the error to blame for a dial that came to nothing, asked once with what ended it
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
    // Where an only address fails at once, no event has told of it.
    note(error)
    // Each is asked, since the witness counts who was silent.
    const theirs = [...silent].map((address) => witness.unanswered({ address, place }))
    return theirs.includes(false) ? new UnreachedError(error) : error
  }
}

function readAddress(error: unknown): string {
  return error instanceof Error && 'address' in error ? String(error.address) : ''
}
