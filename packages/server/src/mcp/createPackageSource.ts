import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { asObject } from '@touchstone402/shared'
import registryFetch from 'npm-registry-fetch'
import type { Unread } from '../directories/directory.ts'
import type { PackageFacts } from '../facts/mcpFacts.ts'
import { createBodyCollector } from '../lib/readBounded.ts'
import { untilAborted } from '../lib/untilAborted.ts'
import { noFacts, type PackumentText, readPackumentText } from './packument.ts'

/** A package registry. Never rejects: failures are `not_measured`. */
export type PackageSource = {
  /** @param version the listed version, to check that it exists */
  read(name: string, version: string | null, signal?: AbortSignal): Promise<PackageFacts>
}

/** Options of the package source. */
export type PackageSourceOptions = {
  /** URL of the registry. @default npm's own default */
  readonly registry?: string | undefined
  /** API for weekly downloads, `GET {url}/downloads/point/last-week/{name}`. @default none */
  readonly downloadsUrl?: string | undefined
  /** Contact URL in the user agent. */
  readonly contact: string
  /** Timeout per document in milliseconds, retries included. */
  readonly timeoutMs: number
  readonly retries: number
  /** Parses package documents. @default in this thread */
  readonly parse?: (text: PackumentText) => Promise<PackageFacts | Unread>
}

/** Maximum size of a package document in bytes. One with a thousand releases is smaller. */
const MAX_BYTES = 2 * 1024 * 1024
const MAX_DOWNLOADS_BYTES = 64 * 1024
// Source: npm's rules for package names. Old names may contain upper case.
const NAME = /^(?:@[A-Za-z0-9~][\w.~-]*\/)?[A-Za-z0-9~][\w.~-]*$/

/** Creates the source of package facts. Reads the configured npm registry through npm's own client. */
export function createPackageSource(options: PackageSourceOptions): PackageSource {
  const { timeoutMs, retries, parse = async (text) => readPackumentText(text) } = options
  const settings = {
    ...(options.registry !== undefined && { registry: options.registry }),
    userAgent: `Touchstone/0.1 (+${options.contact})`,
    retry: { retries, minTimeout: 500, maxTimeout: 10_000 },
    preferOnline: true,
  }

  async function readText<T>(
    url: string,
    maxBytes: number,
    signal: AbortSignal | undefined,
    parseText: (text: string) => T | Promise<T>,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(timeoutMs)
    const ends = signal === undefined ? deadline : AbortSignal.any([deadline, signal])
    const read = async () => {
      const response = await registryFetch(url, { ...settings, timeout: timeoutMs })
      return parseText(await readBody(response.body, maxBytes))
    }
    return Promise.race([read(), untilAborted(ends)])
  }

  async function countDownloads(name: string, signal: AbortSignal | undefined): Promise<number | null> {
    if (options.downloadsUrl === undefined) return null
    try {
      const base = options.downloadsUrl.replace(/\/+$/, '')
      const url = `${base}/downloads/point/last-week/${name}`
      const answer = await readText<unknown>(url, MAX_DOWNLOADS_BYTES, signal, JSON.parse)
      const count = asObject(answer)?.downloads
      return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
    } catch {
      return null
    }
  }

  return {
    async read(name, version, signal): Promise<PackageFacts> {
      // Never put an invalid name into a URL.
      if (!NAME.test(name) || name.length > 214) return noFacts(name, 'absent')
      try {
        const path = `/${name.replace('/', '%2f')}`
        const facts = await readText(path, MAX_BYTES, signal, (text) =>
          parse({ name, listedVersion: version, text }),
        )
        if (typeof facts === 'string') return noFacts(name, 'not_measured')
        return facts.outcome === 'found' ? { ...facts, downloads: await countDownloads(name, signal) } : facts
      } catch (error) {
        return noFacts(name, isNotFound(error) ? 'absent' : 'not_measured')
      }
    },
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
