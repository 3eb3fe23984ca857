import { createGuard } from '@touchstone402/guard'
import { createFileLedger } from '@touchstone402/guard/ledger'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { SEATS, type SeatName } from './seats.ts'

/** A call of a process that may be killed; all that outlives it is its ledger. */
export type KilledCall = {
  key: Hex
  service: { url: string; jwksThumbprint: string; timeoutMs: number }
  url: string
  /** Path of the file ledger. */
  ledger: string
  seat: SeatName
}

process.once('message', async ({ key, service, url, ledger, seat }: KilledCall) => {
  const guard = createGuard({ service, ledger: await createFileLedger(ledger) })
  const pay = SEATS[seat](guard, fetch, privateKeyToAccount(key))
  const delivered = await pay(url).then(
    async (response) => response.status === 200 && (await response.text()).includes('sunny'),
    () => false,
  )
  process.send?.(delivered, () => process.exit(0))
})
process.send?.('ready')
