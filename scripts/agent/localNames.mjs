// Loaded into a process (`node --import`) to resolve subdomains of localhost to loopback (RFC 6761), which some system
// resolvers do not.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

const LOCAL = /(^|\.)localhost$/i
const { lookup } = dns
const { lookup: lookupAsync } = dns.promises

const own = (options) => {
  const found = { address: '127.0.0.1', family: 4 }
  return typeof options === 'object' && options?.all ? [found] : found
}

dns.lookup = (name, options, callback) => {
  const done = callback ?? options
  if (!LOCAL.test(name)) return lookup(name, options, callback)
  const found = own(options)
  process.nextTick(() => (Array.isArray(found) ? done(null, found) : done(null, found.address, found.family)))
}
dns.promises.lookup = async (name, options) => (LOCAL.test(name) ? own(options) : lookupAsync(name, options))
syncBuiltinESMExports()
