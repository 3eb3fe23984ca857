// Loaded into a service (`node --import`) so that its prober resolves every name to loopback, without a name server.
import dns from 'node:dns'

const { prototype } = dns.promises.Resolver
prototype.resolve4 = async () => ['127.0.0.1']
prototype.resolve6 = async () => []
