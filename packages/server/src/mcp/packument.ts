import type { PackageFacts } from './facts.ts'

/** A JSON object of a registry, before any of it is believed. */
type Row = Readonly<Record<string, unknown>>

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall']
const HOLDER = /-security(\.\d+)?$/

/** Facts that say nothing but how the asking ended. */
export function noFacts(name: string, outcome: PackageFacts['outcome']): PackageFacts {
  return {
    name,
    outcome,
    version: null,
    versions: 0,
    createdAt: null,
    publishedAt: null,
    maintainers: null,
    license: null,
    repository: null,
    installScripts: [],
    hasProvenance: null,
    isDeprecated: false,
    isSecurityHolder: false,
    integrity: null,
    downloads: null,
    isPartial: false,
    hasListedVersion: null,
  }
}

/**
 * Reads a package document of a registry.
 * Source: npm registry API, package metadata; attestations in `dist` since npm 9.5.
 */
export function readPackument(name: string, listedVersion: string | null, document: unknown): PackageFacts {
  const packument = asObject(document)
  const time = asObject(packument?.time)
  const versions = asObject(packument?.versions) ?? {}
  const latest = asText(asObject(packument?.['dist-tags'])?.latest)
  const manifest = latest === null ? undefined : asObject(versions[latest])
  if (packument === undefined || latest === null || manifest === undefined) {
    const wasThere = time?.unpublished !== undefined
    return noFacts(name, wasThere ? 'unpublished' : packument === undefined ? 'not_measured' : 'absent')
  }
  const dist = asObject(manifest.dist)
  // Of the package, not of the release: who may publish the next one.
  const maintainers = readMaintainers(packument.maintainers ?? manifest.maintainers)
  const createdAt = readTime(time?.created)
  return {
    name,
    outcome: 'found',
    version: latest,
    versions: Object.keys(versions).length,
    createdAt,
    // Without the first date, the others are those on which a mirror took its copies.
    publishedAt: createdAt === null ? null : readTime(time?.[latest]),
    maintainers,
    license: readLicense(manifest.license ?? packument.license),
    repository: readRepository(manifest.repository ?? packument.repository),
    installScripts: readInstallScripts(manifest),
    hasProvenance: readProvenance(dist),
    isDeprecated:
      manifest.deprecated !== undefined && manifest.deprecated !== false && manifest.deprecated !== '',
    isSecurityHolder:
      HOLDER.test(latest) || readRepository(manifest.repository)?.endsWith('/npm/security-holder') === true,
    integrity: asText(dist?.integrity) ?? asText(dist?.shasum),
    downloads: null,
    isPartial: maintainers === null || createdAt === null,
    hasListedVersion: listedVersion === null ? null : Object.hasOwn(versions, listedVersion),
  }
}

/** Scripts that run on install; a native build runs one without naming it. */
function readInstallScripts(manifest: Row): string[] {
  const scripts = asObject(manifest.scripts) ?? {}
  const named = INSTALL_SCRIPTS.filter((script) => asText(scripts[script]) !== null)
  const runsUnnamed = (manifest.hasInstallScript === true || manifest.gypfile === true) && named.length === 0
  return runsUnnamed ? ['install'] : named
}

/** A registry that signs its archives says of each whether it is attested; any other says nothing. */
function readProvenance(dist: Row | undefined): boolean | null {
  if (asObject(asObject(dist?.attestations)?.provenance) !== undefined) return true
  return Array.isArray(dist?.signatures) ? false : null
}

function readMaintainers(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  const names = value.flatMap((one) => {
    const name = asText(asObject(one)?.name) ?? asText(one)
    return name === null ? [] : [name.slice(0, 100)]
  })
  return [...new Set(names)].sort().slice(0, 100)
}

function readLicense(value: unknown): string | null {
  const text = asText(value) ?? asText(asObject(value)?.type)
  return text === null || /^(unlicensed|none)$/i.test(text) ? null : text.slice(0, 100)
}

/** `git+ssh://git@host/owner/name.git`, `github:owner/name` and the like as `https://host/owner/name`; null for anything else. */
export function readRepository(value: unknown): string | null {
  const text = asText(value) ?? asText(asObject(value)?.url)
  if (text === null || text.length > 500) return null
  const [, shortHost = 'github', shortPath] =
    /^(?:(github|gitlab|bitbucket):)?([\w.-]+\/[\w.-]+)$/.exec(text) ?? []
  if (shortPath !== undefined)
    return `https://${shortHost}.${shortHost === 'bitbucket' ? 'org' : 'com'}/${shortPath}`
  const [, scheme = '', host, port = '', path] =
    /^(?:git\+)?(?:(https?|ssh|git):\/\/)?(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+)(:\d+)?[:/]+([^\s#?]+)/.exec(
      text,
    ) ?? []
  if (host === undefined || path === undefined) return null
  // The port of another protocol leads nowhere on the web.
  const place = host.toLowerCase() + (scheme.startsWith('http') ? port : '')
  return `https://${place}/${path.replace(/\.git$|\/+$/g, '')}`
}

function readTime(value: unknown): number | null {
  const at = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN
  return Number.isFinite(at) ? at : null
}

function asObject(value: unknown): Row | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function asText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}
