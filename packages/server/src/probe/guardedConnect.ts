import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import { createSecureContext, rootCertificates, type SecureContext, connect as tlsConnect } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Egress } from '../config/egressSettings.ts'
import type { AddressPolicy } from './addressPolicy.ts'
import { dialProxy } from './dialProxy.ts'
import { AddressRefusedError, DeadlineError, EgressError, readCode } from './errors.ts'
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
  /** Way out of this machine. @default its own */
  readonly egress?: Egress | null | undefined
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
    void openGuarded(target, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

/** Creates the TLS context of all connections. @param ca trusted authorities besides Node's own, PEM */
export function createSharedContext(ca: readonly string[]): SecureContext {
  return createSecureContext(ca.length === 0 ? {} : { ca: [...rootCertificates, ...ca] })
}

type Checked = {
  readonly hostname: string
  readonly port: number
  readonly addresses: readonly LookupAddress[]
}

/** Opens a connection as {@link createGuardedConnector} describes. */
export async function openGuarded(
  target: Pick<buildConnector.Options, 'protocol' | 'hostname' | 'port'>,
  options: GuardedConnectOptions,
): Promise<Socket> {
  const { policy, resolveHost, egress, signal } = options
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
  const checked = { hostname, port, addresses }
  if (egress && 'proxy' in egress) return openByProxy(egress.proxy, checked, isTls, options)
  return openDirectly(checked, isTls, options)
}

async function openDirectly(
  { hostname, port, addresses }: Checked,
  isTls: boolean,
  options: GuardedConnectOptions,
): Promise<Socket> {
  const { witness, egress, signal } = options
  const localAddress = egress && 'localAddress' in egress ? egress.localAddress : undefined
  // An address of one family reaches no other.
  const reachable = addresses.filter(
    ({ family }) => localAddress === undefined || family === isIP(localAddress),
  )
  if (reachable.length === 0) throw new EgressError('its address family cannot reach the host')
  // Returns the checked addresses, on the next tick: a dial that fails at once would otherwise destroy the socket
  // inside `connect`, before anyone listens for its error.
  const lookup: LookupFunction = (_name, wanted, answer) => {
    process.nextTick(() => {
      const [first] = reachable
      if (wanted.all === true || first === undefined) answer(null, [...reachable])
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
    ...(localAddress !== undefined && { localAddress }),
  }
  const socket = isTls ? tlsConnect({ ...common, ...toTlsOptions(hostname, options) }) : netConnect(common)
  const blame = watchDial(socket, `${hostname}:${port}`, witness)
  try {
    return await untilOpen(socket, isTls ? 'secureConnect' : 'connect', signal)
  } catch (error) {
    // A cancelled dial is no evidence against anyone.
    throw error instanceof DeadlineError && error.isOurs ? error : blame(error)
  }
}

/** Tries the checked addresses in their order, until the proxy reaches one. */
async function openByProxy(
  proxy: string,
  { hostname, port, addresses }: Checked,
  isTls: boolean,
  options: GuardedConnectOptions,
): Promise<Socket> {
  const { signal } = options
  const place = `${hostname}:${port}`
  let failure: unknown
  for (const { address } of addresses) {
    try {
      const socket = await dialProxy(proxy, { address, port, place }, options)
      if (!isTls) return socket
      const secured = tlsConnect({ socket, host: hostname, ...toTlsOptions(hostname, options) })
      return await untilOpen(secured, 'secureConnect', signal)
    } catch (error) {
      failure = error
      if (signal.aborted || error instanceof EgressError || readCode(error) === undefined) break
    }
  }
  throw failure
}

function toTlsOptions(hostname: string, { secureContext, allowH2 = false }: GuardedConnectOptions) {
  return {
    // An IP literal has no SNI; its certificate is checked against the address.
    ...(isIP(hostname) === 0 && { servername: hostname }),
    secureContext,
    ALPNProtocols: allowH2 ? ['h2', 'http/1.1'] : ['http/1.1'],
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
