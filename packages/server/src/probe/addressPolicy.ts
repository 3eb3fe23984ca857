import { isPublicAddress, parseIpAddress } from '@touchstone402/shared/addresses'

/** Decides which ports and addresses may be dialled. */
export type AddressPolicy = {
  /** Returns whether any address may be dialled on this port. Asked before the name is resolved. */
  isPortAllowed(port: number): boolean
  /** Returns whether an address that a name resolved to may be dialled. */
  isAddressAllowed(hostname: string, address: string, port: number): boolean
}

/** Exceptions to the address policy. */
export type AddressPolicyOptions = {
  /**
   * Private hosts or addresses that may be dialled, for development only, each with one port or with all
   * (`127.0.0.1:4021`, `[::1]:4021`, `shop.localhost:4021`, `127.0.0.1`).
   */
  readonly allowPrivate: readonly string[]
}

const PORTS = new Set([80, 443])
const ANY_PORT = 0

/**
 * Creates an address policy that allows public unicast addresses on ports 80 and 443.
 * @throws for an `allowPrivate` entry that is neither a host nor `host:port`
 */
export function createAddressPolicy({ allowPrivate }: AddressPolicyOptions): AddressPolicy {
  const places = allowPrivate.map(parsePlace)
  const allowed = new Set(places.map(({ host, port }) => toKey(host, port)))
  // Any name may resolve to an allowed address, so before resolution its port is open to every name.
  const privatePorts = new Set(places.map(({ port }) => port))
  const isListed = (host: string, port: number) =>
    allowed.has(toKey(host, port)) || allowed.has(toKey(host, ANY_PORT))
  return {
    isPortAllowed: (port) => PORTS.has(port) || privatePorts.has(port) || privatePorts.has(ANY_PORT),
    isAddressAllowed: (hostname, address, port) =>
      isListed(address, port) || isListed(hostname, port) || (PORTS.has(port) && isPublicAddress(address)),
  }
}

function parsePlace(entry: string): { host: string; port: number } {
  if (parseIpAddress(entry) !== undefined) return { host: entry, port: ANY_PORT }
  const [, bracketed, plain, digits] = /^(?:\[([^[\]]+)\]|([^[\]:]+))(?::([0-9]{1,5}))?$/.exec(entry) ?? []
  const host = bracketed ?? plain
  const port = digits === undefined ? ANY_PORT : Number(digits)
  const isPort = digits === undefined || (port >= 1 && port <= 65_535)
  const isHost = bracketed === undefined || parseIpAddress(bracketed) !== undefined
  if (host === undefined || !isPort || !isHost) {
    throw new Error(`expected a host, or host:port, got "${entry}"`)
  }
  return { host, port }
}

/** Returns a key that is the same for every spelling of an address. */
function toKey(host: string, port: number): string {
  const address = parseIpAddress(host)
  return `${address === undefined ? host.toLowerCase() : `ip${address.family}/${address.value}`}:${port}`
}
