import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyAt, USDC, walletAt } from '@touchstone402/economy'
import { createGuard, type FetchLike, isGuardError } from '@touchstone402/guard'
import { createMapClient, type MapClient, type MapClientOptions } from '@touchstone402/guard/map'
import { createMapFile } from '@touchstone402/guard/map-file'
import { readMapFile } from '@touchstone402/server/testing'
import { BASE, type Term } from '@touchstone402/shared'
import { type MapService, startMapService } from '../../support/mapService.ts'
import { openQuickSeller, RECEIVER } from '../../support/seller.ts'
import { createRecordingWallet, STOCK_CLIENTS } from '../../support/stockClients.ts'
import { ATTACKS, type Files } from './attacks.ts'

const THIEF = walletAt(151).address
const PRICE = '10000'
const ENDPOINTS = 200
const HOUR = 3_600_000
const VELOCITY = { perHostPerMinute: 100_000, identicalPerMinute: 100_000 }
const POLICY = { maxPerHostPerDayUsd: '1000', maxPerDayUsd: '1000', velocity: VELOCITY }

const term: Term = {
  x402Version: 2,
  scheme: 'exact',
  network: BASE,
  asset: USDC,
  payTo: RECEIVER,
  method: 'GET',
  amountAtomicMin: PRICE,
  amountAtomicMax: PRICE,
}

/**
 * No tampering with the map is accepted, and no request names an endpoint.
 *
 * Pays 1,000 calls of 200 endpoints by the map alone, and shows every client that holds a good map another that it must
 * not accept: rolled back, frozen, cut, swapped, oversized, half-written, wrongly diffed, wrongly signed.
 *
 * The bar: no attack is accepted, no request to the service names an endpoint, and every control is paid: before, during
 * and after each attack, through an outage of an hour, and with the clock an hour off.
 */
export async function run({ short }: { short: boolean }) {
  const service = await startMapService()
  const seller = await openQuickSeller(termsAt)
  const wallet = createRecordingWallet(keyAt(160))
  const figures = { attacks: 0, accepted: 0, endpointNamesSeen: 0, controlsPaid: 0, controls: 0 }
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const urlOf = (index: number) => `${seller.url}/goods/${index}`
  const folder = await mkdtemp(join(tmpdir(), 'campaign-map-'))

  const open = (more: Partial<MapClientOptions> = {}) =>
    createMapClient({ url: service.url, jwksThumbprint: service.thumbprint, ...more })
  const wrap = (map: MapClient): FetchLike => {
    const guard = createGuard({
      service: { url: service.url, mode: 'map', map },
      policy: POLICY,
    })
    return STOCK_CLIENTS['@x402/fetch'](guard.fetch(), wallet.account, 'none')
  }
  const control = async (pay: FetchLike, path: string) => {
    figures.controls += 1
    const outcome = await pay(path).then(({ status }) => status, String)
    if (outcome === 200) figures.controlsPaid += 1
    else say(`a control was not paid: ${outcome}`)
  }
  /** Counts an attack; `isAccepted` returns whether it had an effect. */
  const attack = (name: string, isAccepted: boolean) => {
    figures.attacks += 1
    if (!isAccepted) return
    figures.accepted += 1
    say(`accepted: ${name}`)
  }
  const refused = async (name: string, pay: FetchLike, url: string, code: string) => {
    const before = wallet.signed.length
    const outcome = await pay(url).then(
      ({ status }) => String(status),
      (error) => (isGuardError(error) ? error.code : String(error)),
    )
    if (outcome !== code) say(`${name}: ${outcome}, not ${code}`)
    attack(name, outcome !== code || wallet.signed.length !== before)
  }

  try {
    for (let index = 0; index < ENDPOINTS; index++) await service.put(urlOf(index), { terms: [term] })
    await service.put(`${seller.url}/bad`, { terms: [term], status: 'invalid' })
    await service.put(`${seller.url}/thief`, { terms: [term] })
    await service.put(`${seller.url}/dear`, { terms: [term] })
    await service.publish()
    const first = await readFiles(service, 1)

    // Ordinary life.
    const map = open()
    const pay = wrap(map)
    const calls = short ? 200 : 1000
    for (let done = 0; done < calls; done++) await control(pay, `${urlOf(done % ENDPOINTS)}?call=${done}`)
    await refused('an endpoint to avoid', pay, `${seller.url}/bad`, 'VERDICT_AVOID')
    await refused('a receiver that the map does not hold', pay, `${seller.url}/thief`, 'RECEIVER_NOT_CHECKED')
    await refused('a price above that of the map', pay, `${seller.url}/dear`, 'PRICE_ABOVE_CHECKED')
    await refused('an endpoint that the map does not hold', pay, `${seller.url}/elsewhere`, 'VERDICT_UNKNOWN')
    say(`${calls} calls paid by the map`)

    // Version 2 is in use; version 3 is there to be attacked.
    await service.put(urlOf(0), { terms: [term], score: 80 })
    await service.publish()
    const second = await readFiles(service, 2)
    const clients: { name: string; map: MapClient }[] = []
    for (const name of Object.keys(ATTACKS)) {
      const map = open()
      await map.ready()
      clients.push({ name, map })
    }
    await service.put(urlOf(1), { terms: [term], score: 70 })
    await service.publish()
    const third = await readFiles(service, 3)
    const files: Files = { headers: [second.header, third.header], bodies: [second.body, third.body] }
    for (const { name, map } of clients) {
      const before = map.info()
      service.fault = (await ATTACKS[name]?.(service, files)) ?? null
      const outcome = await map.refresh().then(
        () => 'accepted',
        () => 'refused',
      )
      const isChanged = map.info()?.version !== before?.version || map.info()?.sha256 !== before?.sha256
      attack(name, outcome === 'accepted' || isChanged)
      await control(wrap(map), `${urlOf(2)}?attack=${figures.attacks}`)
      service.fault = null
      await map.refresh().catch((error) => say(`${name}: not recovered: ${error}`))
      figures.controls += 1
      if (map.info()?.version === 3) figures.controlsPaid += 1
      map.close()
    }
    say(`${clients.length} attacks on the files of the map`)

    // A wrong diff costs one more request and nothing else.
    await service.put(urlOf(3), { terms: [term], score: 60 })
    const diffed = open()
    await diffed.ready()
    await service.publish()
    service.fault = (name) => (name.includes('-') ? new Uint8Array(300) : undefined)
    await diffed.refresh().catch(say)
    attack('a wrong diff', diffed.info()?.version !== 4)
    service.fault = null

    // The newest seen version survives restarts; a torn file counts as missing.
    const path = join(folder, 'map')
    const kept = open({ storage: createMapFile(path) })
    await kept.ready()
    service.fault = (name) => (name === 'latest' ? first.header : name === '1' ? first.body : 404)
    const restarted = open({ storage: createMapFile(path) })
    await restarted.ready()
    attack('rollback after a restart', restarted.info()?.version !== 4)
    await control(wrap(restarted), urlOf(4))
    const whole = await readFile(path)
    for (const [name, torn] of [
      ['half of the file', whole.subarray(0, whole.length / 2)],
      ['a file with a bit changed', Buffer.concat([whole.subarray(0, -9), Buffer.of(1), whole.subarray(-8)])],
      ['an empty file', Buffer.alloc(0)],
    ] as const) {
      await writeFile(path, torn)
      const opened = open({ storage: createMapFile(path), jwksThumbprint: 'A'.repeat(43) })
      await opened.ready()
      attack(name, opened.info() !== null)
      await refused(`${name}, paid`, wrap(opened), urlOf(5), 'VERDICT_UNAVAILABLE')
    }
    service.fault = null

    // An outage of an hour, then of three; and clocks that are off.
    let now = Date.now()
    const clock = () => now
    const patient = open({ now: clock })
    await patient.ready()
    service.isDown = true
    for (let minute = 0; minute < 60; minute += 5) {
      now += 5 * 60_000
      await patient.refresh().catch(() => {})
      await control(wrap(patient), `${urlOf(6)}?minute=${minute}`)
    }
    now += 4 * HOUR
    await refused('a map that was frozen', wrap(patient), `${urlOf(6)}?late`, 'VERDICT_UNAVAILABLE')
    await refused('a frozen map, an endpoint to avoid', wrap(patient), `${seller.url}/bad`, 'VERDICT_AVOID')
    service.isDown = false
    for (const off of [-HOUR, HOUR]) {
      const shifted = () => Date.now() + off
      const opened = open({ now: shifted })
      await control(wrap(opened), `${urlOf(7)}?off=${off}`)
    }
    figures.endpointNamesSeen = service.requested.filter(
      (path) => !/^\/(map\/[\d-]+|map\/latest|\.well-known\/jwks\.json)$/.test(path),
    ).length
    const isPaid = figures.controlsPaid === figures.controls
    return { ok: figures.accepted === 0 && figures.endpointNamesSeen === 0 && isPaid, figures }
  } finally {
    await seller.stop()
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function readFiles({ files }: MapService, version: number) {
  const [header, body] = await Promise.all([readMapFile(files, 'latest'), readMapFile(files, `${version}`)])
  if (header === undefined || body === undefined) throw new Error(`version ${version} was not published`)
  return { header, body }
}

/** An honest seller, except for a swapped receiver and raised prices. */
function termsAt(path: string): [string, string] {
  const amount = path.startsWith('/dear') ? '20000' : path.startsWith('/elsewhere') ? '900000' : PRICE
  return [path.startsWith('/thief') ? THIEF : RECEIVER, amount]
}
