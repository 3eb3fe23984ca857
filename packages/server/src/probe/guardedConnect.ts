import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import { createSecureContext, rootCertificates, type SecureContext, connect as tlsConnect } from 'node:tls'
import type { buildConnector } from 'undici'
import type { AddressPolicy } from './addressPolicy.ts'
import { AddressRefusedError, DeadlineError } from './errors.ts'
import type { ResolveHost } from './resolveHost.ts'
import { watchDial } from './watchDial.ts'
import type { ReachWitness } from './witnessReach.ts'

/** State that all connections of a prober share. */
export type ConnectContext = {
  readonly policy: AddressPolicy
  readonly resolveHost: ResolveHost
  readonly witness: ReachWitness
  /** Creating one costs more than a handshake. */
  readonly secureContext: SecureContext
}

/** Options of {@link createGuardedConnector}. */
export type GuardedConnectOptions = ConnectContext & {
  /** Aborts name resolution, connecting and the TLS handshake. */
  readonly signal: AbortSignal
  /** Whether to offer HTTP/2 besides HTTP/1.1. @default false */
  readonly allowH2?: boolean
}

/** Timeout of one address before the next is tried, ms. Node's default of 250 loses distant hosts. */
const ATTEMPT_MS = 2_500

/**
 * Creates a connector for undici that resolves the name, refuses unless every address is allowed, and dials only the
 * checked addresses; SNI, certificate check and Host stay those of the name.
 *
 * The check is not in a `lookup` option, because Node calls no look-up for IP literals.
 */
export function createGuardedConnector(options: GuardedConnectOptions): buildConnector.connector {
  return (target, callback) => {
    void openSocket(target, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

/** Creates the TLS context of all connections. @param ca trusted authorities besides Node's own, PEM */
export function createSharedContext(ca: readonly string[]): SecureContext {
  return createSecureContext(ca.length === 0 ? {} : { ca: [...rootCertificates, ...ca] })
}

async function openSocket(target: buildConnector.Options, options: GuardedConnectOptions): Promise<Socket> {
  const { policy, resolveHost, witness, secureContext, signal, allowH2 = false } = options
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
  // Returns the checked addresses, on the next tick: a dial that fails at once would otherwise destroy the socket
  // inside `connect`, before anyone listens for its error.
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
  // An IP literal has no SNI; its certificate is checked against the address.
  const sni = isIP(hostname) === 0 ? { servername: hostname } : {}
  const socket = isTls
    ? tlsConnect({
        ...common,
        ...sni,
        secureContext,
        ALPNProtocols: allowH2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      })
    : netConnect(common)
  const blame = watchDial(socket, `${hostname}:${port}`, witness)
  try {
    return await untilOpen(socket, isTls ? 'secureConnect' : 'connect', signal)
  } catch (error) {
    // A cancelled dial is no evidence against anyone.
    throw error instanceof DeadlineError && error.isOurs ? error : blame(error)
  }
}

function untilOpen(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const cleanUp = () => {
      signal.removeEventListener('abort', onAbort)
      socket.off('error', fail).off('close', onClose).off(event, onOpen)
    }
    const fail = (error: unknown) => {
      cleanUp()
      // A late error of the abandoned socket must not crash the process.
      socket.on('error', () => {})
      socket.destroy()
      reject(error)
    }
    const onOpen = () => {
      cleanUp()
      resolve(socket)
    }
    const onClose = () => fail(Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' }))
    const onAbort = () => fail(signal.reason)
    socket.once(event, onOpen).once('error', fail).once('close', onClose)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
