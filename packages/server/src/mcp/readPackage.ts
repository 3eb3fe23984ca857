import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { asObject } from '@touchstone402/shared'
import registryFetch from 'npm-registry-fetch'
import type { Unread } from '../facts/facts.ts'
import type { PackageFacts } from '../facts/mcpFacts.ts'
import { createBodyCollector } from '../lib/readBounded.ts'
import { untilAborted } from '../lib/untilAborted.ts'
import { noFacts, type PackumentText } from './packument.ts'

/** A package registry, and how it is read. */
export type PackageRegistry = {
  /** URL of the registry. @default npm's own default */
  readonly url?: string | undefined
  /** API for weekly downloads, `GET {url}/downloads/point/last-week/{name}`. @default none */
  readonly downloadsUrl?: string | undefined
  /** Contact URL in the user agent. */
  readonly contact: string
  /** Timeout per document in milliseconds, retries included. */
  readonly timeoutMs: number
  readonly retries: number
  /** Parses package documents, which strangers write. */
  readonly parse: (text: PackumentText) => PackageFacts | Unread | Promise<PackageFacts | Unread>
}

/** Maximum size of a package document in bytes. One with a thousand releases is smaller. */
const MAX_BYTES = 2 * 1024 * 1024
const MAX_DOWNLOADS_BYTES = 64 * 1024
// Source: npm's rules for package names. Old names may contain upper case.
const NAME = /^(?:@[A-Za-z0-9~][\w.~-]*\/)?[A-Za-z0-9~][\w.~-]*$/

/**
 * Reads the facts of a package through npm's own client. Never rejects: failures are `not_measured`.
 * @param version the listed version, to check that it exists
 */
export async function readPackage(
  registry: PackageRegistry,
  name: string,
  version: string | null,
  signal?: AbortSignal,
): Promise<PackageFacts> {
  // Never put an invalid name into a URL.
  if (!NAME.test(name) || name.length > 214) return noFacts(name, 'absent')
  try {
    const path = `/${name.replace('/', '%2f')}`
    const facts = await readText(registry, path, MAX_BYTES, signal, (text) =>
      registry.parse({ name, listedVersion: version, text }),
    )
    if (typeof facts === 'string') return noFacts(name, 'not_measured')
    if (facts.outcome !== 'found') return facts
    return { ...facts, downloads: await countDownloads(registry, name, signal) }
  } catch (error) {
    return noFacts(name, isNotFound(error) ? 'absent' : 'not_measured')
  }
}

async function readText<T>(
  { url: registry, contact, timeoutMs, retries }: PackageRegistry,
  url: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
  parseText: (text: string) => T | Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const ends = signal === undefined ? deadline : AbortSignal.any([deadline, signal])
  const read = async () => {
    const response = await registryFetch(url, {
      ...(registry !== undefined && { registry }),
      userAgent: `Touchstone/0.1 (+${contact})`,
      retry: { retries, minTimeout: 500, maxTimeout: 10_000 },
      preferOnline: true,
      timeout: timeoutMs,
    })
    return parseText(await readBody(response.body, maxBytes))
  }
  return Promise.race([read(), untilAborted(ends)])
}

async function countDownloads(
  registry: PackageRegistry,
  name: string,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  if (registry.downloadsUrl === undefined) return null
  try {
    const url = `${registry.downloadsUrl.replace(/\/+$/, '')}/downloads/point/last-week/${name}`
    const answer = await readText<unknown>(registry, url, MAX_DOWNLOADS_BYTES, signal, JSON.parse)
    const count = asObject(answer)?.downloads
    return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
  } catch {
    return null
  }
}

function isNotFound(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'E404'
}

async function readBody(body: AsyncIterable<Buffer | string> | null, maxBytes: number): Promise<string> {
  if (body === null) throw new Error('The document is empty.')
  const collected = createBodyCollector(maxBytes)
  for await (const chunk of body) {
    if (!collected.add(Buffer.from(chunk))) throw new Error(`The document is larger than ${maxBytes} bytes.`)
  }
  return collected.read().toString()
}

/** Returns the npm registry that this machine is configured for, if any. */
export async function readMachineRegistry(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'], { timeout: 10_000 })
    const url = stdout.trim()
    return URL.canParse(url) && /^https?:\/\//.test(url) ? url : undefined
  } catch {
    return undefined
  }
}
