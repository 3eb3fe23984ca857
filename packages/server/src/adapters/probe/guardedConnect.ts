import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import { createSecureContext, rootCertificates, type SecureContext, connect as tlsConnect } from 'node:tls'
import type { buildConnector } from 'undici'
import type { AddressPolicy } from './addressPolicy.ts'
import { DeadlineError } from './deadlineError.ts'
import type { ResolveHost } from './resolveHost.ts'
import { watchDial } from './watchDial.ts'
import type { ReachWitness } from './witnessReach.ts'

/** A place that the address policy does not let us dial. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError'
  readonly code = 'TOUCHSTONE_ADDRESS_REFUSED'
  constructor(place: string) {
    super(`this place is not dialled: ${place}`)
  }
}

/** What a guarded connector is made of. */
export type GuardedConnectOptions = {
  readonly policy: AddressPolicy
  readonly resolveHost: ResolveHost
  /** One for all connections, so that each speaks for the others. */
  readonly witness: ReachWitness
  /** One context for all connections: making one per connection costs more than the handshake. */
  readonly secureContext: SecureContext
  /** Ends name resolution, dialling and the TLS handshake. */
  readonly signal: AbortSignal
  /** @default `['http/1.1']` */
  readonly alpn?: readonly string[]
}

/** How long one address of several may take before the next is tried, ms. Node's 250 loses distant hosts. */
const ATTEMPT_MS = 2_500

/**
 * Creates a connector for undici that resolves a name itself, refuses unless every address may be dialled, and
 * dials exactly what it has checked; SNI, certificate and Host stay those of the name.
 *
 * The check stands here and not in a `lookup`, since node never calls a lookup for an IP literal.
 */
export function createGuardedConnector(options: GuardedConnectOptions): buildConnector.connector {
  return (target, callback) => {
    void openSocket(target, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

/** Makes the context that all connections share. @param ca authorities trusted besides node's own, PEM */
export function createSharedContext(ca: readonly string[] = []): SecureContext {
  return createSecureContext(ca.length === 0 ? {} : { ca: [...rootCertificates, ...ca] })
}

async function openSocket(target: buildConnector.Options, options: GuardedConnectOptions): Promise<Socket> {
  const { policy, resolveHost, witness, secureContext, signal, alpn = ['http/1.1'] } = options
  const hostname = target.hostname.replace(/^\[|\]$/g, '')
  const isTls = target.protocol === 'https:'
  const port = target.port === '' ? (isTls ? 443 : 80) : Number(target.port)
  signal.throwIfAborted()
  if (!policy.isPortAllowed(port)) throw new AddressRefusedError(`${hostname}:${port}`)
  const addresses = await resolveHost(hostname, signal)
  for (const { address } of addresses) {
    if (!policy.isAddressAllowed(hostname, address, port)) {
      throw new AddressRefusedError(`${hostname} at ${address}:${port}`)
    }
  }
  // Asked for names only; it can answer nothing but what was checked above. It answers a moment later: a dial that
  // fails at once would destroy the socket inside of `connect`, before anyone can listen for its error.
  const lookup: LookupFunction = (_name, wanted, answer) => {
    process.nextTick(() => {
      const [first] = addresses
      if (wanted.all === true || first === undefined) answer(null, [...addresses])
      else answer(null, first.address, first.family)
    })
  }
  const common = {
    host: hostname,
    port,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    noDelay: true,
  }
  // An address has no server name; its certificate is checked against the address.
  const sni = isIP(hostname) === 0 ? { servername: hostname } : {}
  const socket = isTls
    ? tlsConnect({ ...common, ...sni, secureContext, ALPNProtocols: [...alpn] })
    : netConnect(common)
  const blame = watchDial(socket, `${hostname}:${port}`, witness)
  try {
    return await untilOpen(socket, isTls ? 'secureConnect' : 'connect', signal)
  } catch (error) {
    // A dial that was called off says nothing of anyone.
    throw error instanceof DeadlineError && error.isOurs ? error : blame(error)
  }
}

function untilOpen(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      signal.removeEventListener('abort', onAbort)
      socket.off('error', onError).off('close', onClose).off(event, onOpen)
      act()
    }
    const fail = (error: unknown) =>
      settle(() => {
        // A late error of a socket that nobody holds must not end the process.
        socket.on('error', () => {})
        socket.destroy()
        reject(error)
      })
    const onOpen = () => settle(() => resolve(socket))
    const onError = (error: Error) => fail(error)
    const onClose = () => fail(Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' }))
    const onAbort = () => fail(signal.reason)
    socket.once(event, onOpen).once('error', onError).once('close', onClose)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
