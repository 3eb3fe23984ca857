import { nearestName } from '@touchstone402/shared'
import { type Config, readConfig, SETTINGS } from './config.ts'
import type { Environment } from './storageSettings.ts'

/** Returns a line for each setting that is allowed, but probably not meant. */
export function findWarnings(environment: Environment): string[] {
  const read = readConfig(environment)
  return [...findMisspelt(environment), ...(read.ok ? findDoubtful(read.config) : [])]
}

function findDoubtful({ publicUrl, trustProxy, rpcUrls, developmentAllowHosts }: Config): string[] {
  const { protocol, hostname } = new URL(publicUrl)
  const lines: string[] = []
  if (protocol === 'http:' && !isLoopback(hostname))
    lines.push(
      'PUBLIC_URL is http: for development only, since nobody can tell whose answers they read; a public service needs https',
    )
  if (protocol === 'https:' && trustProxy === 0)
    lines.push(
      'TRUST_PROXY is 0, but PUBLIC_URL is https, so a proxy is in front: limits take all its clients for one; set the number of proxies',
    )
  if (protocol === 'https:' && developmentAllowHosts.length > 0)
    lines.push(
      'DEVELOPMENT_ALLOW_HOSTS is for development, but PUBLIC_URL is https: everybody can have these private hosts probed; remove it',
    )
  const hosts = rpcUrls.map((url) => new URL(url).host)
  for (const host of new Set(hosts.filter((host, place) => hosts.indexOf(host) !== place)))
    lines.push(
      `RPC_URLS has several URLs of ${host}: they fail together, and one cannot confirm what another says`,
    )
  return lines
}

const isLoopback = (hostname: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)

/** Length of a setting's name from which others are compared: other programs have names like our shortest ones. */
const SHORTEST = 5
/** Letters by which a name may differ from a setting's. */
const mostLetters = (name: string) => (name.length < 8 ? 1 : 2)

/** Returns a line for each variable that is no setting but nearly one that is not set: a default would go unnoticed. */
function findMisspelt(environment: Environment): string[] {
  const free = Object.keys(SETTINGS).filter(
    (name) => name.length >= SHORTEST && environment[name] === undefined,
  )
  if (free.length === 0) return []
  return Object.keys(environment)
    .filter((name) => SETTINGS[name] === undefined)
    .flatMap((given) => {
      const { name, distance } = nearestName(given.toUpperCase(), free)
      return distance <= mostLetters(name) ? [`${given} is no setting; nearest: ${name}`] : []
    })
}
