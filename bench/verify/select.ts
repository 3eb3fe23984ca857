// The floor for a verdict that is not cached: the listener of the service's kind, and one prepared SELECT by key.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openDatabase, pg } from '@touchstone402/server/testing'

const { DATA_DIR = '', DATABASE_URL } = process.env

type Read = (endpoint: string) => string | undefined | Promise<string | undefined>

async function openRead(): Promise<Read> {
  if (DATABASE_URL !== undefined) {
    const pool = new pg.Pool({ connectionString: DATABASE_URL, options: '-c search_path=touchstone' })
    const query = { name: 'state', text: 'select state_json from endpoint where url = $1' }
    return async (endpoint) => (await pool.query({ ...query, values: [endpoint] })).rows[0]?.state_json
  }
  const database = openDatabase(join(DATA_DIR, 'touchstone.db'), { setUp: 'pragma query_only = on' })
  // A statement does not keep its connection open.
  process.once('exit', () => database.close())
  const select = database.prepare('select state_json from endpoint where url = ?')
  return (endpoint) => (select.get(endpoint) as { state_json: string } | undefined)?.state_json
}

const read = await openRead()
const server = createServer(async ({ url = '/' }, response) => {
  const state = await read(new URL(url, 'http://local').searchParams.get('endpoint') ?? '')
  const body = state ?? ''
  // The load client reads answers by their length.
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
  response.writeHead(state === undefined ? 404 : 200, headers).end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMs: (user + system) / 1000, rssMb: 0, probes: 0, discoveries: 0 })
})
