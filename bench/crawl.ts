import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { LookupFunction } from 'node:net'
import { connect, createSecureContext, rootCertificates } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createProber, makeSelfSigned } from '@touchstone402/server/testing'

const HOSTS = 2_000
/** Connections per turn. */
const TURN = 500
const CONCURRENCY = 32
const BAR = 0.6
/** Maximum growth of RSS after the first tenth of the probes, MB. More is a leak. */
const RSS_BAR_MB = 48

/**
 * A probe costs at most what a bare TLS handshake does and two thirds more, and leaks no memory.
 *
 * Measures probes per second over fresh TLS connections to 2,000 hosts with the full address guard, relative to bare
 * `tls.connect` handshakes to the same hosts in the same run; then the memory growth over 20,000 probes.
 */
export async function run({ short }: { short: boolean }) {
  const certificate = makeSelfSigned(['*.crawl.test'])
  const sellers = fork(new URL('./support/tlsSellers.ts', import.meta.url))
  try {
    sellers.send(certificate)
    const [{ port }] = (await once(sellers, 'message')) as [{ port: number }]
    const lookup: LookupFunction = (_name, _options, answer) => {
      answer(null, [{ address: '127.0.0.1', family: 4 }])
    }
    const prober = createProber({
      contact: 'https://touchstone.example',
      lookup,
      allowPrivate: [`127.0.0.1:${port}`],
      ca: [certificate.cert],
    })
    const secureContext = createSecureContext({ ca: [...rootCertificates, certificate.cert] })
    const host = (index: number) => `h${index % HOSTS}.crawl.test`
    const shake = (index: number) => shakeHands(port, host(index), secureContext)
    const probe = async (index: number) => {
      const url = `https://${host(index)}:${port}/quote`
      const seen = await prober.probe({ url, method: 'GET', body: null, declaresInput: false, client: index })
      if (seen.outcome !== 'up') throw new Error(`${url}: ${seen.cause}`)
    }

    // Short alternating turns, so that other load on the machine affects both.
    const turns = short ? 8 : 24
    let rawMs = 0
    let probeMs = 0
    for (let turn = 0; turn <= turns; turn++) {
      const [raw, probed] = [await measure(TURN, shake), await measure(TURN, probe)]
      // The first turn is the warm-up.
      if (turn > 0) rawMs += raw
      if (turn > 0) probeMs += probed
      if (turn % 8 === 0)
        process.stderr.write(`turn ${turn}: ${rate(raw)} handshakes/s, ${rate(probed)} probes/s\n`)
    }

    const total = short ? 4_000 : 20_000
    await measure(total / 10, probe)
    const before = readRss()
    await measure((total * 9) / 10, probe)
    const rssGrowthMb = (readRss() - before) / 1024 ** 2
    await prober.close()

    const vsRawTls = rawMs / probeMs
    return {
      ok: vsRawTls >= BAR && rssGrowthMb <= RSS_BAR_MB,
      figures: {
        vsRawTls: Number(vsRawTls.toFixed(3)),
        probesPerSecond: Math.round((TURN * turns) / (probeMs / 1_000)),
        rssGrowthMb: Number(rssGrowthMb.toFixed(1)),
      },
    }
  } finally {
    sellers.kill()
  }
}

function shakeHands(
  port: number,
  servername: string,
  secureContext: ReturnType<typeof createSecureContext>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      servername,
      secureContext,
      ALPNProtocols: ['http/1.1'],
    })
    socket.once('error', reject).once('secureConnect', () => {
      socket.destroy()
      resolve()
    })
  })
}

/** Runs work `count` times with limited concurrency. Returns the duration in ms. */
async function measure(count: number, work: (index: number) => Promise<void>): Promise<number> {
  const end = done + count
  const startedAt = performance.now()
  const worker = async () => {
    while (done < end) await work(done++)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return performance.now() - startedAt
}

/** Number of the next piece of work, over all turns, so that every turn continues with the next host. */
let done = 0

const rate = (ms: number) => Math.round(TURN / (ms / 1_000))

function readRss(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  return process.memoryUsage.rss()
}
