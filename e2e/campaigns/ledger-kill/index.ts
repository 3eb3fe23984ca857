import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { keyAt } from '@touchstone402/economy'
import { createFileLedger, verifyLedger } from '@touchstone402/guard/ledger'
import { serve } from '../../support/serve.ts'
import { startSigningService, termOf } from '../../support/signingService.ts'
import { challenge, PRICE, RECEIVER } from './seller.ts'

const PAYER = fileURLToPath(new URL('./payer.ts', import.meta.url))
// Test workers have other arguments than a campaign.
const isLoaded = process.execArgv.includes('tsx')
const NODE_ARGS = isLoaded ? process.execArgv : ['--conditions=source', '--import', 'tsx']
/** Number of concurrent processes. */
const LANES = 2

/**
 * Repeatedly kills a paying process at random moments around its signatures, with one ledger file per lane, and compares
 * the ledger with the signatures.
 *
 * The wallet logs each signature before it returns it to the guard. The bar: after each restart the ledger has recorded
 * at least as much spending, and its hash chain is valid.
 */
export async function run({ short }: { short: boolean }) {
  const kills = short ? 16 : 200
  const service = await startSigningService()
  const seller = await serve((request, response) => {
    const isPaid = request.headers['payment-signature'] !== undefined
    if (isPaid) response.end('sunny')
    else challenge(request, response)
  })
  const endpoint = `${seller.url}/weather`
  const verdict = { verdict: 'safe', receiverStability: 'stable', probes: 9 } as const
  service.decisions.set(endpoint, { ...verdict, terms: [termOf(RECEIVER, PRICE)] })
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-ledger-kill-'))
  try {
    const lanes = await Promise.all(
      Array.from({ length: LANES }, async (_, lane) =>
        killMany({
          kills: Math.floor((kills + lane) / LANES),
          folder: await mkdtemp(join(directory, 'lane-')),
          settings: { key: keyAt(160), service: service.url, endpoint },
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
    await seller.stop()
    await service.stop()
    await rm(directory, { recursive: true, force: true })
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
type Lane = { kills: number; folder: string; settings: Record<string, string> }

async function killMany({ kills, folder, settings }: Lane): Promise<Tally> {
  const tally: Tally = { kills: 0, understated: 0, signatures: 0, ahead: 0, broken: 0 }
  const paths = { ledger: join(folder, 'ledger.jsonl'), signatures: join(folder, 'signatures') }
  let before = { signed: 0, known: 0 }
  while (tally.kills < kills) {
    await killOnce({ ...settings, ...paths, seat: tally.kills % 2 === 0 ? 'fetch' : 'account' })
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

async function killOnce(settings: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [...NODE_ARGS, PAYER, JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const gone = once(child, 'exit')
  const isReady = await Promise.race([once(child, 'message').then(() => true), gone.then(() => false)])
  if (!isReady) throw new Error('the payer ended before it was ready')
  // A payment takes a few milliseconds, so this may end at any point of one.
  await sleep(Math.random() * 50)
  child.kill('SIGKILL')
  await gone
}

/** Counts the payments in the ledger after a restart, and the signatures. */
async function compare({ ledger: path, signatures }: Record<'ledger' | 'signatures', string>) {
  const signed = (await readFile(signatures, 'utf8')).split('\n').filter(Boolean).length
  const ledger = await createFileLedger(path)
  const known = Number(ledger.totals().usdMicros / BigInt(PRICE))
  await ledger.close()
  return { signed, known, isWhole: (await verifyLedger(path)).ok }
}
