import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import type { ListedRow } from '../../facts/facts.ts'
import { addSkips, type SkipCounts } from '../../facts/skips.ts'
import type { Directory } from '../directory.ts'

const cleanups: (() => unknown)[] = []

/** Stops everything a test started, after each test of the file. */
export function cleanUpAfterEach(): void {
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup()
  })
}

/** Serves on a free port. Returns the URL without a trailing slash. */
export async function serve(
  answer: (request: IncomingMessage, url: URL, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer((request, response) => {
    const body = answer(request, new URL(request.url ?? '/', 'http://local'), response)
    if (body !== undefined) response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Reads all pages of a directory. */
export async function readAll(
  directory: Directory,
): Promise<{ rows: ListedRow[]; skipped: SkipCounts; pages: number }> {
  const all = { rows: [] as ListedRow[], skipped: {} as SkipCounts, pages: 0 }
  for await (const page of directory.pages()) {
    all.rows.push(...page.rows)
    all.skipped = addSkips([all.skipped, page.skipped])
    all.pages++
  }
  return all
}

/** Returns a page of a list by offset and limit, of at most `most` items. */
export function pageOf(items: readonly unknown[], url: URL, most: number): readonly unknown[] {
  const offset = Number(url.searchParams.get('offset'))
  return items.slice(offset, offset + Math.min(most, Number(url.searchParams.get('limit'))))
}
