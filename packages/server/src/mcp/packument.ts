import { asObject } from '@touchstone402/shared'
import type { PackageFacts } from '../facts/mcpFacts.ts'
import type { Row } from '../lib/fields.ts'

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall']
const HOLDER = /-security(\.\d+)?$/

/** Creates the facts of a package without a document. */
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

/** A package document as a registry sent it. */
export type PackumentText = {
  readonly name: string
  readonly listedVersion: string | null
  readonly text: string
}

/** Parses the text of a package document. @throws SyntaxError if it is not JSON */
export function readPackumentText({ name, listedVersion, text }: PackumentText): PackageFacts {
  return readPackument(name, listedVersion, JSON.parse(text))
}

/**
 * Parses a package document of a registry.
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
  // Prefer the package's maintainers: they may publish the next release.
  const maintainers = readMaintainers(packument.maintainers ?? manifest.maintainers)
  const createdAt = readTime(time?.created)
  return {
    name,
    outcome: 'found',
    version: latest,
    versions: Object.keys(versions).length,
    createdAt,
    // Without a creation date, the others are a mirror's copy dates.
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

/** Lists the scripts that run on install. A native build runs `install` without naming it. */
function readInstallScripts(manifest: Row): string[] {
  const scripts = asObject(manifest.scripts) ?? {}
  const named = INSTALL_SCRIPTS.filter((script) => asText(scripts[script]) !== null)
  const runsUnnamed = (manifest.hasInstallScript === true || manifest.gypfile === true) && named.length === 0
  return runsUnnamed ? ['install'] : named
}

/** Null for registries that do not sign archives, since they keep no attestations. */
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

/** Normalises a repository, such as `git+ssh://git@host/owner/name.git` or `github:owner/name`, to `https://host/owner/name`. */
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
  // Keep the port of HTTP only.
  const place = host.toLowerCase() + (scheme.startsWith('http') ? port : '')
  return `https://${place}/${path.replace(/\.git$|\/+$/g, '')}`
}

function readTime(value: unknown): number | null {
  const at = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN
  return Number.isFinite(at) ? at : null
}

function asText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}
