import { parseWitnessKey } from '@touchstone402/transparency'
import type { Config } from '../../config/config.ts'
import { createDirectory } from '../../directories/createDirectory.ts'
import { readBounded } from '../../lib/readBounded.ts'
import { DIRECTORY_PACE } from '../../lib/readJson.ts'
import { createMcpFileDirectory } from '../../mcp/createMcpFileDirectory.ts'
import { createMcpRegistryDirectory } from '../../mcp/createMcpRegistryDirectory.ts'
import { inspectPostgres } from '../../store/postgres.ts'
import { describeFormat } from './describeFormat.ts'
import { type Check, fail, ok, warn } from './finding.ts'

/** Lists the checks of what others run: database, directories, witnesses. */
export function checkOthers(config: Config): Check[] {
  const { databaseUrl, directories, mcp, operator, log } = config
  const { contact } = operator
  return [
    ...(databaseUrl === null ? [] : [{ name: 'database', run: () => checkDatabase(databaseUrl) }]),
    ...directories.map((place) => {
      const { pages, mayBeEmpty } = createDirectory(place, { contact, pace: DIRECTORY_PACE })
      return {
        name: `directory ${place.name}`,
        run: (signal: AbortSignal) => readFirst({ pages: pages(signal), mayBeEmpty }, 'rows'),
      }
    }),
    ...(mcp?.directories ?? []).map(({ kind, name, location }) => {
      const { pages } =
        kind === 'file'
          ? createMcpFileDirectory({ name, path: location })
          : createMcpRegistryDirectory({ name, url: location, contact, pace: DIRECTORY_PACE })
      return {
        name: `MCP directory ${name}`,
        run: (signal: AbortSignal) => readFirst({ pages: pages(signal), mayBeEmpty: true }, 'servers'),
      }
    }),
    ...log.witnesses.map((witness) => ({
      name: `witness ${parseWitnessKey(witness.key).name}`,
      run: (signal: AbortSignal) => askWitness(witness, signal),
    })),
  ]
}

async function checkDatabase(url: string) {
  const { version, mayCreate, format } = await inspectPostgres(url)
  if (version < 14) return fail(`PostgreSQL ${version}: 14 or later is needed`)
  const found = describeFormat('The database', format)
  if (found !== null) return found
  return mayCreate
    ? ok(`PostgreSQL ${version}, each session its own`)
    : fail('the user of DATABASE_URL may create no schema: grant create on database, or give it the schema')
}

/** Pages that are read for a usable entry. */
const MOST_PAGES = 10

/** Reads a directory up to its first usable entry, as one without any fails in the service too. */
async function readFirst<Name extends string>(
  {
    pages,
    mayBeEmpty,
  }: { readonly pages: AsyncIterable<Page<Name>>; readonly mayBeEmpty?: boolean | undefined },
  name: Name,
) {
  let [read, skips] = [0, 0]
  for await (const page of pages) {
    const { length } = page[name]
    if (length > 0)
      return ok(
        read === 0 ? `its first page has ${length} entries` : `its page ${read + 1} has ${length} entries`,
      )
    read += 1
    skips += Object.values(page.skipped ?? {}).reduce((sum, count) => sum + count, 0)
    if (read === MOST_PAGES) break
  }
  if (mayBeEmpty === true && skips === 0) return warn('it lists nothing that can be used')
  return fail(`it lists nothing that can be used (entries skipped: ${skips})`)
}

type Page<Name extends string> = { readonly [name in Name]: readonly unknown[] } & {
  readonly skipped?: Readonly<Record<string, number>>
}

const MAX_BYTES = 64 * 1024

/** Asks a witness for its front page, which shows the key of those that are ours. */
async function askWitness({ url, key }: { readonly url: string; readonly key: string }, signal: AbortSignal) {
  const { host } = new URL(url)
  const response = await fetch(`${url}/`, { redirect: 'manual', signal }).catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    throw new Error(`LOG_WITNESSES, ${host} does not answer: ${reason}`)
  })
  const page = await readBounded(response, MAX_BYTES)
  if (response.status >= 500) return fail(`LOG_WITNESSES, ${host} answers ${response.status}`)
  if (page === null) return fail(`LOG_WITNESSES, ${host} answers with more than 64 kB: no witness does`)
  const shown = page.split('\n')[0]?.trim() ?? ''
  if (shown === key) return ok(`${host} answers, with its key`)
  return isWitnessKey(shown)
    ? fail(`LOG_WITNESSES, ${host} has another key, ${shown}: ask its operator`)
    : ok(`${host} answers; it does not show its key`)
}

function isWitnessKey(text: string): boolean {
  try {
    parseWitnessKey(text)
    return true
  } catch {
    return false
  }
}
