import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { McpAudit } from './facts.ts'
import type { McpAudits } from './ports.ts'

/** Audits in one file. */
export type FileAudits = McpAudits & { close(): Promise<void> }

/**
 * Opens audits in one file of JSON lines, cached in memory. The last line of a server counts; torn lines are dropped.
 * The file is compacted on each start.
 * @param path created if missing
 */
export async function openFileAudits(path: string): Promise<FileAudits> {
  await mkdir(dirname(path), { recursive: true })
  const audits = new Map<string, McpAudit>()
  for (const line of (await readExisting(path)).split('\n')) {
    const audit = parseAudit(line)
    if (audit !== undefined) audits.set(audit.name, audit)
  }
  const fresh = `${path}.new`
  const compact = await open(fresh, 'w')
  for (const audit of audits.values()) await compact.write(toLine(audit))
  await compact.sync()
  await compact.close()
  await rename(fresh, path)

  const file = await open(path, 'a')
  let turn: Promise<unknown> = Promise.resolve()
  return {
    get: async (name) => audits.get(name),
    put(audit) {
      const written = turn.then(async () => {
        await file.write(toLine(audit))
        await file.sync()
        audits.set(audit.name, audit)
      })
      turn = written.catch(() => undefined)
      return written
    },
    async *all() {
      yield* audits.values()
    },
    async close() {
      await turn
      await file.close()
    },
  }
}

const toLine = (audit: McpAudit) => `${JSON.stringify(audit)}\n`

async function readExisting(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

function parseAudit(line: string): McpAudit | undefined {
  try {
    const audit: McpAudit = JSON.parse(line)
    return typeof audit.name === 'string' && typeof audit.auditedAt === 'number' ? audit : undefined
  } catch {
    return undefined
  }
}
