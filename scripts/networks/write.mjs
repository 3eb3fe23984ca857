// Writes packages/shared/src/tables from the pinned packages and the issuers' lists.
// The lists (circle.json, protocol.json, issuers.json) are kept by hand: read the source that they name, and change its date.
import { writeFileSync } from 'node:fs'
import { readTables } from './readTables.mjs'

const folder = new URL('../../packages/shared/src/tables/', import.meta.url)
/** One row a line, so that a change of one asset is a change of one line. */
const write = (table) =>
  Array.isArray(table)
    ? `[\n${table.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]`
    : JSON.stringify(table, null, 2)
for (const [name, table] of Object.entries(readTables()))
  writeFileSync(new URL(`${name}.json`, folder), `${write(table)}\n`)
