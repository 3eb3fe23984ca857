// The process whose system calls are traced. It writes into a store on SQLite, reports each acknowledgement on stdout with
// a synchronous write, and kills itself after some.
import { writeSync } from 'node:fs'
import { openStore, writeEndlessly } from '@touchstone402/server/testing'

const { directory: dataDir, from, limit } = JSON.parse(process.argv[2] ?? '')
const store = await openStore({ databaseUrl: null, dataDir })
let acknowledged = 0
const acknowledge = (name: string) => {
  writeSync(1, `ack ${name}\n`)
  acknowledged += 1
  if (acknowledged === limit) process.kill(process.pid, 'SIGKILL')
}
await writeEndlessly(store, acknowledge, { from })
