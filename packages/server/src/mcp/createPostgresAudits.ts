import type { McpAudit } from './facts.ts'
import type { McpAudits } from './ports.ts'

type Row = { name: string; data: string }

type Queries = {
  query<Result extends Record<string, unknown>>(text: string, values: readonly unknown[]): Promise<Result[]>
}

/** Page size of `all`. */
const PAGE = 200

/** Stores the audits of MCP servers in PostgreSQL, shared by all processes. */
export function createPostgresAudits(database: Queries): McpAudits {
  return {
    async get(name) {
      const [row] = await database.query<Row>('SELECT name, data FROM mcp_audit WHERE name = $1', [name])
      return row && parse(row)
    },
    async put(audit) {
      await database.query(
        'INSERT INTO mcp_audit (name, data) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET data = excluded.data',
        [audit.name, JSON.stringify(audit)],
      )
    },
    async *all() {
      let last: string | undefined
      do {
        const rows: Row[] = await database.query<Row>(
          'SELECT name, data FROM mcp_audit WHERE $1::text IS NULL OR name > $1 ORDER BY name LIMIT $2',
          [last ?? null, PAGE],
        )
        for (const row of rows) yield parse(row)
        last = rows.length < PAGE ? undefined : rows.at(-1)?.name
      } while (last !== undefined)
    },
  }
}

function parse({ data }: Row): McpAudit {
  return JSON.parse(data)
}
