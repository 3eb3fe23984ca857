// The process whose system calls are traced. It writes into an embedded store, reports each acknowledgement on stdout
// with a synchronous write, and kills itself after some.
import { writeSync } from 'node:fs'
import { createEmbeddedStore, writeEndlessly } from '@touchstone402/server/parts'

const { directory, from, limit } = JSON.parse(process.argv[2] ?? '')
const carry = () => ({ carried: { scoreVersion: '1.1.0', lastAt: 0 }, days: [] })
const store = await createEmbeddedStore({ directory, carry, now: () => Date.UTC(2026, 5, 1, 12) })
let acknowledged = 0
const acknowledge = (name: string) => {
  writeSync(1, `ack ${name}\n`)
  acknowledged += 1
  if (acknowledged === limit) process.kill(process.pid, 'SIGKILL')
}
await writeEndlessly(store, acknowledge, { from })
