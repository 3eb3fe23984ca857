import { honest, type Kind } from '../parts.ts'
import { addressOf, SEPOLIA, usdcEntry } from '../world/names.ts'
import type { Entry } from '../world/types.ts'

const FACILITATOR = addressOf('facilitator')
const PERMIT2 = { assetTransferMethod: 'permit2' }

const withExtra = (entry: Entry, extra: Readonly<Record<string, unknown>>): Entry => ({
  ...entry,
  extra: { ...entry.extra, ...extra },
})

/** Creates hosts that ask for one form of payment, half of them beside the usual one. */
const form = (kind: string, count: number, ask: (entry: Entry) => Entry): Kind =>
  honest(kind, count, ({ index, entry }) => ({
    wire: 'v2',
    phase: { entries: index % 2 === 0 ? [ask(entry)] : [ask(entry), entry] },
    knownFlags: ['payment_unsupported', 'unverifiable', 'price_unknown'],
  }))

/** Honest hosts that ask for other official forms of payment, as the reference middlewares state them. */
export const HONEST_PAYMENTS: readonly Kind[] = [
  honest('testnet-beside', 2, ({ entry }) => ({
    phase: { entries: [usdcEntry(SEPOLIA, entry.payTo, entry.amountAtomic), entry] },
  })),
  form('permit2', 6, (entry) => withExtra(entry, PERMIT2)),
  form('upto', 6, (entry) => ({
    ...withExtra(entry, { ...PERMIT2, facilitatorAddress: FACILITATOR }),
    scheme: 'upto',
  })),
  // EURC on Base, and the default stablecoin of MegaETH (18 decimals). Source: Circle; `DEFAULT_STABLECOINS` of @x402/evm.
  form('eurc', 2, (entry) => ({
    ...entry,
    asset: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
    extra: { name: 'EURC', version: '2' },
  })),
  form('megausd', 2, (entry) => ({
    ...entry,
    network: 'eip155:4326',
    asset: '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7',
    amountAtomic: `${entry.amountAtomic}${'0'.repeat(12)}`,
    extra: { name: 'MegaUSD', version: '1', ...PERMIT2 },
  })),
]
