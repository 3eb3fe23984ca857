import { readFile } from 'node:fs/promises'
import type { LookupFunction } from 'node:net'
import { type Service, startService } from '@touchstone402/demo'
import { type Economy, keyAt, start } from '@touchstone402/economy'
import { createProber } from '@touchstone402/server/testing'
import { privateKeyToAccount } from 'viem/accounts'
import { signFor } from '../../support/sign.ts'
import { type Bait, openBait } from './bait.ts'
import { type Canaries, openCanaries, type Watch, watchDials } from './canaries.ts'

/** Paid calls per payer, because uncharged calls are limited per payer. */
const CALLS_PER_PAYER = 40
const ENTRIES = 4

// A hostile resolver: every name is on loopback. Only the seller's may be dialled there.
const lookup: LookupFunction = (hostname, _options, answer) => {
  const loopback = { address: '127.0.0.1', family: 4 }
  answer(null, hostname.endsWith('.seller.test') ? [loopback] : [loopback, { address: '::1', family: 6 }])
}

/**
 * No URL makes the service dial a place inside.
 *
 * Sends every known SSRF URL through each entry: the query of `/verify` and of a paid `/trust`, a directory row, a
 * redirect, and the resource of a challenge. The service must dial neither the canaries on loopback nor, by the record
 * of the process, any other place.
 */
export async function run({ short }: { short: boolean }) {
  const fixture = new URL('../../fixtures/ssrf-urls.json', import.meta.url)
  const listed: string[] = JSON.parse(await readFile(fixture, 'utf8'))
  const canaries = await openCanaries()
  const free = canaries.ports.at(-1) ?? 0
  // Each URL as listed, and at the port of a canary.
  const urls = [...new Set([...listed, ...listed.map((url) => withPort(url, free))])]
  const bait = await openBait(urls)
  const economy = await start({ sellers: [], clock: 'real' })
  const watch = watchDials()
  await proveSight(canaries, watch)
  const service = await startService(economy, {
    lookup,
    settings: {
      PORT: '0',
      PUBLIC_URL: 'https://trust.example',
      DIRECTORIES: `bazaar=${bait.directoryUrl}`,
      DEVELOPMENT_ALLOW_HOSTS: `127.0.0.1:${bait.sellerPort}`,
      RATE_LIMIT_PER_MINUTE: '1000000',
      TRUST_PROXY: '1',
    },
  })
  const strangers = () => watch.dials.filter((place) => !isKnown(place, economy, service, bait))
  try {
    await crawlAll(service, bait)
    const faults = await askAll(service, economy, short ? listed : urls)
    const open = await probeAll(canaries, bait, urls)
    const wentThere = [...bait.redirects, ...bait.resources].filter(
      (url) => !bait.asked.has(new URL(url).pathname),
    )
    const connections = canaries.hits() + strangers().length
    for (const place of new Set(strangers())) process.stderr.write(`dialled ${place}\n`)
    for (const fault of faults) process.stderr.write(`${fault}\n`)
    for (const url of wentThere) process.stderr.write(`the seller was never asked for ${url}\n`)
    return {
      ok: connections === 0 && faults.length === 0 && open.length === 0 && wentThere.length === 0,
      figures: { cases: urls.length, entries: ENTRIES, connections },
    }
  } finally {
    watch.stop()
    await service.stop()
    await economy.stop()
    await bait.close()
    await canaries.close()
  }
}

function withPort(url: string, port: number): string {
  return url.replace(/^(\s*[a-z]+:\/\/[^/?#:]*(?:\[[^\]]*\])?)(?=[/?#])/i, `$1:${port}`)
}

/** Returns whether the service needs to connect to this place. */
function isKnown(place: string, economy: Economy, service: Service, bait: Bait): boolean {
  const urls = [economy.chain.rpcUrl, economy.facilitator.url, bait.directoryUrl, service.url]
  const ports = [...urls.map((url) => new URL(url).port), String(bait.sellerPort)]
  return ports.some((port) => place === `127.0.0.1:${port}`)
}

/** Waits until the directory is read and everything in it is probed. */
async function crawlAll(service: Service, bait: Bait): Promise<void> {
  const wanted = bait.redirects.length + bait.resources.length
  const isDone = () => {
    const { discoveries, due, probes } = service.crawl()
    return discoveries > 0 && due === 0 && probes >= wanted
  }
  const deadline = performance.now() + 120_000
  while (!isDone()) {
    if (performance.now() > deadline)
      throw new Error(`the crawl did not finish: ${JSON.stringify(service.crawl())}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  process.stderr.write(`crawled ${service.crawl().probes} endpoints of the directory\n`)
}

/** Asks the service about each URL, free and paid. Returns every answer that is neither a verdict nor a refusal. */
async function askAll(service: Service, economy: Economy, urls: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  let account = privateKeyToAccount(keyAt(0))
  for (const [index, url] of urls.entries()) {
    if (index % CALLS_PER_PAYER === 0) {
      account = privateKeyToAccount(keyAt(200 + index))
      await economy.chain.mintUsdc(account.address, 1_000_000n)
    }
    const query = `endpoint=${encodeURIComponent(url)}`
    const free = await fetch(`${service.url}/verify?${query}`)
    const { headers } = await signFor(`${service.url}/trust?${query}`, account, 2)
    const client = `203.0.113.${index % 250}`
    const paid = await fetch(`${service.url}/trust?${query}`, {
      headers: { ...headers, 'x-forwarded-for': client },
    })
    if (![200, 400].includes(free.status)) faults.push(`/verify answered ${free.status} to ${url}`)
    if (paid.status !== 400) faults.push(`/trust answered ${paid.status} to ${url}`)
    if (index % 20 === 0) process.stderr.write(`asked for ${index} of ${urls.length}\n`)
  }
  return faults
}

/** Proves that the canaries and the watch detect connections, using a prober that may dial loopback. */
async function proveSight(canaries: Canaries, watch: Watch): Promise<void> {
  const port = canaries.ports.at(-1)
  const prober = createProber({
    contact: 'https://trust.example',
    lookup,
    allowPrivate: ['127.0.0.1', '::1'],
    ca: [],
  })
  canaries.reset()
  watch.reset()
  await prober.probe({
    url: `http://anything.test:${port}/`,
    method: 'GET',
    body: null,
    declaresInput: false,
    client: 0,
  })
  await prober.close()
  if (canaries.hits() === 0 || !watch.dials.some((place) => place.endsWith(`:${port}`))) {
    throw new Error('an unguarded connection was not detected')
  }
  canaries.reset()
  watch.reset()
}

/** Probes each URL with every canary port allowed, so that only the address check refuses. */
async function probeAll(
  { ports }: Canaries,
  { redirects, sellerPort }: Bait,
  urls: readonly string[],
): Promise<string[]> {
  const prober = createProber({
    contact: 'https://trust.example',
    lookup,
    allowPrivate: [`127.0.0.1:${sellerPort}`, ...ports.map((port) => `elsewhere.example:${port}`)],
    ca: [],
  })
  const open: string[] = []
  for (const url of [...urls, ...redirects]) {
    for (let client = 0; client < prober.clients; client++) {
      const seen = await prober.probe({ url, method: 'GET', body: null, declaresInput: false, client })
      // An invalid redirect counts against the seller; everything else must be not_measured.
      const isMeasured = seen.outcome !== 'not_measured' && seen.cause !== 'redirect_refused'
      if (isMeasured) open.push(`${url}: ${seen.outcome}/${seen.cause}`)
    }
  }
  await prober.close()
  for (const line of open) process.stderr.write(`measured ${line}\n`)
  return open
}
