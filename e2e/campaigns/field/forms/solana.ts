import { CIRCLE, type Entry, exact, type FormRow, spec, usdc } from './rows.ts'

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const SOLANA_PAY_TO = '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4'
const SPONSOR = 'EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd'
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'

const solana = (extra: Entry = {}, asset = SOLANA_USDC) =>
  exact(SOLANA, asset, SOLANA_PAY_TO, { feePayer: SPONSOR, ...extra })

const EXACT = spec('exact', 'svm')
const channel = { receiverAuthorizer: SPONSOR, withdrawDelay: 3600, tokenProgram: TOKEN_PROGRAM }

/** Forms of Solana. */
export const solanaForms: readonly FormRow[] = [
  { name: 'exact on Solana', source: EXACT, accepts: [solana()] },
  { name: 'v1 on solana', source: EXACT, shape: 'v1', accepts: [solana()] },
  {
    name: 'exact on Solana, upfront',
    source: EXACT,
    accepts: [solana({ paymentFlow: 'upfront', memo: 'pi_3abc123def456' })],
  },
  {
    name: 'exact on Solana, recent blockhash',
    source: EXACT,
    accepts: [solana({ recentBlockhash: 'EZ3rST5dvHmbanh75jc4PuLfV96vp9fEYBVeNk4FfM1k' })],
  },
  {
    name: 'exact PYUSD on Solana',
    source: '@x402/svm 2.27.0, DEFAULT_ASSETS',
    accepts: [solana({}, '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo')],
  },
  {
    name: 'exact EURC on Solana',
    source: CIRCLE,
    accepts: [solana({}, 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr')],
  },
  {
    name: 'upto on Solana',
    source: spec('upto', 'svm'),
    accepts: [{ ...solana({ ...channel, paymentFlow: 'escrow' }), scheme: 'upto' }],
  },
  {
    name: 'batch-settlement on Solana',
    source: spec('batch-settlement', 'svm'),
    accepts: [{ ...solana({ ...channel, paymentFlow: 'authorization' }), scheme: 'batch-settlement' }],
  },
  {
    name: 'exact on Solana beside Base',
    source: EXACT,
    shape: 'both',
    accepts: [solana(), usdc()],
  },
  {
    name: 'exact on the test network of Solana',
    source: EXACT,
    right: ['avoid'],
    accepts: [
      exact(DEVNET, '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', SOLANA_PAY_TO, { feePayer: SPONSOR }),
    ],
  },
]
