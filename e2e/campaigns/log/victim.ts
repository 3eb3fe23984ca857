// The process that is killed. It logs and signs without end, and reports each acknowledgement on stdout with a synchronous
// write, so that every line that the parent reads precedes the kill.
import { writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { logStorage, openStore } from '@touchstone402/server/testing'
import { writeLeaf } from '@touchstone402/shared/leaves'
import { parseSignerKey } from '@touchstone402/transparency'
import { createLogPublisher } from '@touchstone402/transparency/publisher'

const { directory, signerKey, from } = JSON.parse(process.argv[2] ?? '')
const say = (line: string) => writeSync(1, `${line}\n`)

const store = await openStore({ databaseUrl: null, dataDir: directory })
const publisher = createLogPublisher({
  log: logStorage(store),
  signer: await parseSignerKey(signerKey),
  witnesses: [],
  now: Date.now,
  onError: (error) => say(`error ${error}`),
})
say('ready')

const write = async () => {
  for (let next: number = from; ; ) {
    const count = 1 + Math.floor(Math.random() * 40)
    await store.write(
      'addLeaves',
      Array.from({ length: count }, (_, at) => ({
        ...writeLeaf({ kind: 'map', at: '2026-01-31T12:00:00.000Z', version: next + at }, null),
        key: `map ${next + at}`,
      })),
    )
    next += count
    say(`added ${next}`)
  }
}
const publish = async () => {
  for (let size = 0; ; ) {
    const head = await publisher.publish()
    if (head === null || head.size === size) await nextTurn()
    else say(`signed ${JSON.stringify(head)}`)
    size = head?.size ?? 0
  }
}
await Promise.all([write(), publish()])
