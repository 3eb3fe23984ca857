import { isInBlock, parseBlock, parseIp } from './ipAddress.ts'
import { GLOBAL_UNICAST_IPV6, SPECIAL_IPV4, SPECIAL_IPV6 } from './specialAddresses.ts'

const SPECIAL = [...SPECIAL_IPV4, ...SPECIAL_IPV6].map(({ cidr, name }) => ({
  name,
  block: parseBlock(cidr),
}))
const GLOBAL_UNICAST = parseBlock(GLOBAL_UNICAST_IPV6)

/**
 * Why an address is not public unicast, in words, or null where it is.
 * @param ip as a resolver gives it; anything that is no address is refused too.
 */
export function findSpecialUse(ip: string): string | null {
  const address = parseIp(ip)
  if (address === undefined) return 'not an IP address'
  const special = SPECIAL.find(({ block }) => isInBlock(address, block))
  if (special !== undefined) return special.name
  if (address.family === 6 && !isInBlock(address, GLOBAL_UNICAST)) return 'outside 2000::/3'
  return null
}

/** Whether an address is public unicast: what a seller on the internet may answer from. */
export function isPublicAddress(ip: string): boolean {
  return findSpecialUse(ip) === null
}

/** Which places may be dialled. */
export type AddressPolicy = {
  /** Whether a port is open to probes; asked before the name is resolved. */
  isPortAllowed(port: number): boolean
  /** Whether an address may be dialled for a name. */
  isAddressAllowed(hostname: string, address: string, port: number): boolean
}

/** What an operator may widen. */
export type AddressPolicyOptions = {
  /** Ports besides 80 and 443. @default none */
  readonly extraPorts?: readonly number[]
  /**
   * For development only: places that may be dialled although they are private, each a host or an address, with a
   * port or, for all of its ports, without (`127.0.0.1:4021`, `[::1]:4021`, `shop.localhost:4021`, `127.0.0.1`).
   * @default none
   */
  readonly allowPrivate?: readonly string[]
}

const DEFAULT_PORTS = [80, 443]

/** Stands for every port of a place. */
const ANY = 0

/**
 * Creates the policy of the prober: public unicast on ports 80 and 443.
 * @throws when an entry of `allowPrivate` is not a host, or a host and a port.
 */
export function createAddressPolicy(options: AddressPolicyOptions = {}): AddressPolicy {
  const ports = new Set([...DEFAULT_PORTS, ...(options.extraPorts ?? [])])
  const places = (options.allowPrivate ?? []).map(parsePlace)
  const allowed = new Set(places.map(({ host, port }) => toKey(host, port)))
  // Which name resolves to a listed address is not known yet, so its port is open to every name until then.
  const privatePorts = new Set(places.map(({ port }) => port))
  const isListed = (host: string, port: number) =>
    allowed.has(toKey(host, port)) || allowed.has(toKey(host, ANY))
  return {
    isPortAllowed: (port) => ports.has(port) || privatePorts.has(port) || privatePorts.has(ANY),
    isAddressAllowed: (hostname, address, port) =>
      isListed(address, port) || isListed(hostname, port) || (ports.has(port) && isPublicAddress(address)),
  }
}

function parsePlace(entry: string): { host: string; port: number } {
  if (parseIp(entry) !== undefined) return { host: entry, port: ANY }
  const [, bracketed, plain, digits] = /^(?:\[([^[\]]+)\]|([^[\]:]+))(?::([0-9]{1,5}))?$/.exec(entry) ?? []
  const host = bracketed ?? plain
  const port = digits === undefined ? ANY : Number(digits)
  const isPort = digits === undefined || (port >= 1 && port <= 65_535)
  if (host === undefined || !isPort || (bracketed !== undefined && parseIp(bracketed) === undefined)) {
    throw new Error(`expected a host, or host:port, got "${entry}"`)
  }
  return { host, port }
}

/** Addresses are compared as numbers, since one address has many spellings. */
function toKey(host: string, port: number): string {
  const address = parseIp(host)
  return `${address === undefined ? host.toLowerCase() : `ip${address.family}/${address.value}`}:${port}`
}
