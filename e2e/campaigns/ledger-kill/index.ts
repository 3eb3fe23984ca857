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
// A test runner's workers have other arguments than a campaign.
const isLoaded = process.execArgv.includes('tsx')
const NODE_ARGS = isLoaded ? process.execArgv : ['--conditions=source', '--import', 'tsx']
/** How many processes run beside one another; each killed as it comes to its signatures. */
const LANES = 2

/**
 * Kills a paying process at random around its signatures, again and again, on one ledger file each lane, and holds
 * what the file knows against what was really signed.
 *
 * Every signature is written down by the wallet before the guard hears of it, so that none goes unseen. The bar: after
 * each restart the ledger knows of at least as much spending, and its chain of hashes holds.
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
    // A long run in which nothing was signed, or nothing was caught between its reservation and its signature, shows nothing.
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
  /** Rounds in which the ledger knew of one payment more than was signed. */
  ahead: number
  /** Rounds after which the ledger's chain did not hold, or it knew of more than one payment too many. */
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
    // Round by round: what was reserved in vain before must not make up for what is forgotten now.
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
  // A payment takes some milliseconds, so that this ends in any part of one.
  await sleep(Math.random() * 50)
  child.kill('SIGKILL')
  await gone
}

/** How many payments the ledger knows of after a restart, and how many were signed. */
async function compare({ ledger: path, signatures }: Record<'ledger' | 'signatures', string>) {
  const signed = (await readFile(signatures, 'utf8')).split('\n').filter(Boolean).length
  const ledger = await createFileLedger(path)
  const known = Number(ledger.totals().usdMicros / BigInt(PRICE))
  await ledger.close()
  return { signed, known, isWhole: (await verifyLedger(path)).ok }
}
