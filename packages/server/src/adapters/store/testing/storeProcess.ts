// A process that writes into the embedded store of a folder without end, and serves back-ups of it. Reports each
// acknowledgement on stdout with a synchronous write, so that every line precedes the end of the process.
import { writeSync } from 'node:fs'
import { serveBackups } from '../backup/serveBackups.ts'
import { createEmbeddedStore } from '../embedded/createEmbeddedStore.ts'
import { writeEndlessly } from './endlessWrites.ts'

const directory = process.argv[2] ?? ''
const clock = { now: () => Date.UTC(2026, 5, 1, 12) }
const carry = () => ({ carried: { scoreVersion: '1.1.0', lastAt: 0 }, days: [] })
const store = await createEmbeddedStore({ directory, now: clock.now, carry })
const onError = (error: unknown) => process.stderr.write(`${String(error)}\n`)
await serveBackups({ directory, copyTo: store.copyTo, onError })
const pause = new Int32Array(new SharedArrayBuffer(4))

await writeEndlessly(store, (name) => {
  for (;;) {
    try {
      writeSync(1, `ack ${name}\n`)
      return
    } catch (error) {
      // The pipe is full.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(pause, 0, 0, 1)
    }
  }
})
