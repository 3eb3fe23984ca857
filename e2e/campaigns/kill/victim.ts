// The process that is killed. It sells, writes and crawls, and reports each acknowledgement on stdout with a synchronous
// write, so that every line that the parent reads precedes the kill.
import { writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createCrawlQueue,
  createFacilitator,
  createHttpApp,
  createLowdbStore,
  createPaywall,
  createPostgresStore,
  createSmallAnswers,
} from '@touchstone402/server/parts'
import { OPERATIONS, PAID_OPERATIONS, type PaidOperationId } from '@touchstone402/shared'
import { lookAt } from './homes.ts'
import { writeRecords } from './records.ts'

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

const { place, round, facilitatorUrl, payTo, network } = JSON.parse(process.argv[2] ?? '')

const store =
  'url' in place
    ? await createPostgresStore({ ...place, retentionDays: 1 })
    : await createLowdbStore({
        ...place,
        segmentBytes: 64 * 1024,
        flushDelayMs: 20,
        retentionDays: 1,
        onReport: (report) => say(`report ${JSON.stringify(report)}`),
      })
const prices = Object.fromEntries(PAID_OPERATIONS.map((id) => [id, OPERATIONS[id].priceUsd]))
const publicUrl = 'https://trust.example'
const app = createHttpApp({
  answers: createSmallAnswers(),
  paywall: createPaywall({
    facilitator: createFacilitator({ url: facilitatorUrl }),
    claims: store.claims,
    payTo,
    network,
    prices: prices as Record<PaidOperationId, string>,
    publicUrl,
    onFault: ({ step, cause }) => say(`fault ${step}: ${String(cause)}`),
  }),
  clock: { now: Date.now },
  publicUrl,
  jwks: () => ({ keys: [] }),
  rateLimit: { points: 1_000_000, windowSeconds: 60 },
})
const server = createServer(app)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  say(`ready ${typeof address === 'object' ? address?.port : ''}`)
  if ('url' in place) void crawl(place.url)
  void writeRecords(store, round, (record) => say(`ack ${record}`))
})

/** Works on the crawl queue slowly, so that a kill interrupts work. */
async function crawl(url: string): Promise<void> {
  const queue = await createCrawlQueue({ url, concurrency: 4, recoverEveryMs: 1000 })
  await queue.work(async ({ host }) => {
    await sleep(20)
    await store.append([lookAt(host)])
  })
}
