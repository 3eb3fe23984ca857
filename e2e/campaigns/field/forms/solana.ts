import type { FormRow } from './types.ts'

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const SOLANA_PAY_TO = '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4'
const SPONSOR = 'EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd'
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'

const spec = (scheme: string, family: string) =>
  `specs/schemes/${scheme}/scheme_${scheme.replaceAll('-', '_')}_${family}.md`

type Entry = Record<string, unknown>

const exact = (network: string, asset: string, payTo: string, extra?: Entry, amount = '10000'): Entry => ({
  ...{ scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds: 60 },
  ...(extra === undefined ? {} : { extra }),
})

const solana = (extra: Entry = {}, asset = SOLANA_USDC) =>
  exact(SOLANA, asset, SOLANA_PAY_TO, { feePayer: SPONSOR, ...extra })

const channel = { receiverAuthorizer: SPONSOR, withdrawDelay: 3600, tokenProgram: TOKEN_PROGRAM }

/** Forms of Solana. */
export const solanaForms: readonly FormRow[] = [
  { name: 'exact on Solana', source: spec('exact', 'svm'), right: ['safe'], accepts: [solana()] },
  { name: 'v1 on solana', source: spec('exact', 'svm'), right: ['safe'], shape: 'v1', accepts: [solana()] },
  {
    name: 'exact on Solana, upfront',
    source: spec('exact', 'svm'),
    right: ['safe'],
    accepts: [solana({ paymentFlow: 'upfront', memo: 'pi_3abc123def456' })],
  },
  {
    name: 'exact on Solana, recent blockhash',
    source: spec('exact', 'svm'),
    right: ['safe'],
    accepts: [solana({ recentBlockhash: 'EZ3rST5dvHmbanh75jc4PuLfV96vp9fEYBVeNk4FfM1k' })],
  },
  {
    name: 'exact PYUSD on Solana',
    source: '@x402/svm 2.27.0, DEFAULT_ASSETS',
    right: ['safe'],
    accepts: [solana({}, '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo')],
  },
  {
    name: 'exact EURC on Solana',
    source: '@circle-fin/bridge-kit 1.15.1, chain definitions',
    right: ['safe'],
    accepts: [solana({}, 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr')],
  },
  {
    name: 'upto on Solana',
    source: spec('upto', 'svm'),
    right: ['safe'],
    accepts: [{ ...solana({ ...channel, paymentFlow: 'escrow' }), scheme: 'upto' }],
  },
  {
    name: 'batch-settlement on Solana',
    source: spec('batch-settlement', 'svm'),
    right: ['safe'],
    accepts: [{ ...solana({ ...channel, paymentFlow: 'authorization' }), scheme: 'batch-settlement' }],
  },
  {
    name: 'exact on Solana beside Base',
    source: spec('exact', 'svm'),
    right: ['safe'],
    shape: 'both',
    accepts: [
      solana(),
      exact(
        'eip155:8453',
        '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
        { name: 'USD Coin', version: '2' },
      ),
    ],
  },
  {
    name: 'exact on the test network of Solana',
    source: spec('exact', 'svm'),
    right: ['avoid'],
    accepts: [
      exact(DEVNET, '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', SOLANA_PAY_TO, { feePayer: SPONSOR }),
    ],
  },
]
