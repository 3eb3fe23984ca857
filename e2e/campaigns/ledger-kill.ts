import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFileLedger, verifyLedger } from '@touchstone402/guard/ledger'
import { startChild } from '../support/child.ts'
import { openPaying, PRICE } from '../support/openPaying.ts'
import type { PayerSettings } from '../support/payer.ts'

/** Number of concurrent processes. */
const LANES = 2

/**
 * The file ledger of a killed process never records less than was signed.
 *
 * Repeatedly kills a paying process at random moments around its signatures, with one ledger file per lane, and compares
 * the ledger with the signatures.
 *
 * The wallet logs each signature before it returns it to the guard. The bar: after each restart the ledger has recorded
 * at least as much spending, and its hash chain is valid.
 */
export async function run({ short }: { short: boolean }) {
  const kills = short ? 16 : 200
  const paying = await openPaying()
  try {
    const lanes = await Promise.all(
      Array.from({ length: LANES }, async (_, lane) =>
        killMany({
          kills: Math.floor((kills + lane) / LANES),
          folder: await mkdtemp(join(paying.folder, 'lane-')),
          payer: paying.payer,
          settings: { ...paying.settings, policy: { maxPerDayUsd: '1000', maxPerHostPerDayUsd: '1000' } },
        }),
      ),
    )
    const sum = (key: keyof Tally) => lanes.reduce((total, lane) => total + lane[key], 0)
    const figures = {
      kills: sum('kills'),
      understated: sum('understated'),
      signatures: sum('signatures'),
      reservedUnsigned: sum('ahead'),
      broken: sum('broken'),
    }
    // The run is vacuous without signatures or, if long, without a kill between a reservation and its signature.
    const didWork = figures.signatures > figures.kills && (short || figures.reservedUnsigned > 0)
    return { ok: didWork && figures.understated + figures.broken === 0, figures }
  } finally {
    await paying.stop()
  }
}

type Tally = {
  kills: number
  understated: number
  signatures: number
  /** Rounds in which the ledger had one payment more than were signed. */
  ahead: number
  /** Rounds with an invalid hash chain, or with more than one unsigned payment. */
  broken: number
}
type Lane = {
  kills: number
  folder: string
  payer: string
  settings: Omit<PayerSettings, 'integration'>
}

async function killMany({ kills, folder, payer, settings }: Lane): Promise<Tally> {
  const tally: Tally = { kills: 0, understated: 0, signatures: 0, ahead: 0, broken: 0 }
  const paths = { ledger: join(folder, 'ledger.jsonl'), signatures: join(folder, 'signatures') }
  let before = { signed: 0, known: 0 }
  while (tally.kills < kills) {
    const { signatures } = paths
    const integration = tally.kills % 2 === 0 ? 'fetch' : 'guarded fetch'
    await killOnce(payer, { ...settings, signatures, ledger: { file: paths.ledger }, integration })
    tally.kills += 1
    const { isWhole, ...now } = await compare(paths)
    // Per round, so that an earlier unsigned reservation cannot hide a lost payment.
    const ahead = now.known - before.known - (now.signed - before.signed)
    before = now
    tally.signatures = now.signed
    if (ahead < 0) tally.understated += 1
    if (ahead === 1) tally.ahead += 1
    if (!isWhole || ahead > 1) tally.broken += 1
    if (tally.kills % 20 === 0) process.stderr.write(`${tally.kills} kills: ${JSON.stringify(tally)}\n`)
  }
  return tally
}

async function killOnce(payer: string, settings: PayerSettings): Promise<void> {
  const child = startChild(payer, { settings })
  await child.hear()
  // The first call also fetches keys and a verdict.
  await child.ask('go')
  const start = performance.now()
  await child.hear()
  // Ends at any point of the third payment, which takes about as long as the second did.
  await sleep(Math.random() * (performance.now() - start))
  await child.kill()
}

/** Counts the payments in the ledger after a restart, and the signatures. */
async function compare({ ledger: path, signatures }: Record<'ledger' | 'signatures', string>) {
  const signed = (await readFile(signatures, 'utf8')).split('\n').filter(Boolean).length
  const ledger = await createFileLedger(path)
  const known = Number(ledger.totals().usdMicros / BigInt(PRICE))
  await ledger.close()
  return { signed, known, isWhole: (await verifyLedger(path)).ok }
}
