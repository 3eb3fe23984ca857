// The process that is killed. It sells, writes, works on due hosts, drops old probes, and reports each acknowledgement on
// stdout with a synchronous write, so that every line that the parent reads precedes the kill. Or it copies a store that
// another process has open, on request.
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { backUp, openStore, type Store } from '@touchstone402/server/testing'
import { openShop } from '../../support/shop.ts'
import { writeRecords } from './records.ts'
import { hostsOf, offer, workOff } from './work.ts'

const pause = new Int32Array(new SharedArrayBuffer(4))

function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`)
      return
    } catch (error) {
      // The pipe is full.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(pause, 0, 0, 1)
    }
  }
}

const settings = JSON.parse(process.argv[2] ?? '')

/** Offers hosts and works on them slowly, so that a kill interrupts work. */
async function crawl(store: Store): Promise<void> {
  await offer(store, hostsOf(settings.round))
  say('ack offered')
  for (;;) {
    await workOff(store, 20)
    await sleep(20)
  }
}

async function live(): Promise<void> {
  const { place, round, from, facilitatorUrl, payTo, network } = settings
  const store = await openStore(place)
  const shop = await openShop({
    economy: {
      facilitator: { url: facilitatorUrl },
      wallets: { service: { address: payTo } },
      chain: { network },
    },
    store,
    log: (_level, _message, { event, step, reason }) => {
      if (event === 'payment_failed') say(`fault ${step}: ${reason}`)
    },
  })
  process.send?.(shop.origin)
  void crawl(store)
  await writeRecords(store, { round, from }, (record) => say(`ack ${record}`))
}

if (settings.copies === true) {
  process.on('message', async ({ target }: { target: string }) => {
    process.send?.(await backUp(settings.place.dataDir, target))
  })
  process.on('disconnect', () => process.exit())
} else {
  await live()
}
