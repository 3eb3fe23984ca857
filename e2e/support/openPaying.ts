import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyAt } from '@touchstone402/economy'
import { bundlePayer } from './bundleVictim.ts'
import { openQuickSeller, RECEIVER } from './seller.ts'
import { startSigningService, termOf } from './signingService.ts'

/** Price of a call in atomic USDC. */
export const PRICE = 100

/** Opens an honest seller, verdicts that vouch for it, and a folder; returns what a paying process needs. */
export async function openPaying() {
  const service = await startSigningService()
  const seller = await openQuickSeller(() => [RECEIVER, String(PRICE)])
  const endpoint = `${seller.url}/weather`
  service.vouch(endpoint, termOf(RECEIVER, String(PRICE)))
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-paying-'))
  return {
    folder,
    payer: await bundlePayer(),
    // Many calls ask for their verdict at once, and a busy machine answers late.
    settings: { key: keyAt(160), service: { url: service.url, timeoutMs: 60_000 }, endpoint },
    async stop() {
      await seller.stop()
      await service.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
