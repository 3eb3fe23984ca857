// The process that is killed. It sells, writes, crawls, drops what is past the retention and copies its store, and
// reports each acknowledgement on stdout with a synchronous write, so that every line that the parent reads precedes the kill.
import { writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCrawlQueue } from '@touchstone402/server/parts'
import { openShop } from '../../support/shop.ts'
import { lookAt, openStore } from './homes.ts'
import { timeOf, writeRecords } from './records.ts'

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
const { place, retentionDays, round, from, facilitatorUrl, payTo, network } = settings

let newest: number = from
const store = await openStore(place, retentionDays, () => timeOf(newest))
const shop = await openShop({
  economy: {
    facilitator: { url: facilitatorUrl },
    wallets: { service: { address: payTo } },
    chain: { network },
  },
  store,
  paywall: { onFault: ({ step, cause }) => say(`fault ${step}: ${String(cause)}`) },
})
process.send?.(shop.origin)
if ('url' in place) void crawl(place.url)
if ('compact' in store) void compactEndlessly(store.compact)
if ('copyTo' in store) void copyEndlessly(store.copyTo)
void writeRecords(store, { round, from }, (record) => {
  const [kind, number] = record.split(' ')
  if (kind === 'look') newest = Math.max(newest, Number(number))
  say(`ack ${record}`)
})

/** Works on the crawl queue slowly, so that a kill interrupts work. */
async function crawl(url: string): Promise<void> {
  const queue = await createCrawlQueue({ url, concurrency: 4, recoverEveryMs: 1000 })
  await queue.work(async ({ host }) => {
    await sleep(20)
    await store.append([lookAt(host)])
  })
}

/** Drops what is past the retention. The embedded store does so with each look. */
async function compactEndlessly(compact: () => Promise<unknown>): Promise<void> {
  for (;;) {
    await sleep(60)
    await compact().catch((error: unknown) => say(`fault compact: ${String(error)}`))
  }
}

/** Copies the store again and again, and keeps the newest copy. */
async function copyEndlessly(copyTo: (directory: string) => Promise<void>): Promise<void> {
  for (let index = 0; ; index++) {
    await sleep(Math.random() * 300)
    say(`ack copying ${round}-${index}`)
    await copyTo(join(place.copies, `${round}-${index}`))
    say(`ack copied ${round}-${index}`)
    await rm(join(place.copies, `${round}-${index - 1}`), { recursive: true, force: true })
  }
}
