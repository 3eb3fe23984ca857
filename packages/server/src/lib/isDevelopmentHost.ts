/**
 * Whether the operator lets a host be reached for development.
 * @param host with its port, unless that is the default one
 * @param allowed the hosts and `host:port` pairs of the setting; none in production
 */
export function isDevelopmentHost(host: string, allowed: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, '')
  if (allowed.includes(host) || allowed.includes(name)) return true
  // Names below localhost are of this machine (RFC 6761), which the list has by its address.
  return allowed.length > 0 && /(^|\.)localhost$/.test(name)
}
