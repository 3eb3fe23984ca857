import type { Scenario } from '../types.ts'
import { HONEST, OTHER_TOKEN, THIEF } from '../world.ts'

const category = 'accepts_ordering'
const url = ({ origin, count }: { origin: string; count: number }) => `${origin}/weather?call=${count}`

/** Lists of entries whose order or number leads a client to the wrong one. */
export const ordering: readonly Scenario[] = [
  {
    category,
    name: 'A cheap entry on a network that the caller lacks stands before a dear one on its own.',
    seller: { terms: [{ network: 'eip155:137', amount: '100' }, { amount: '90000' }] },
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category,
    name: 'The dear entry hides between two equal cheap ones.',
    seller: { terms: [{ amount: '90000' }, {}, { amount: '90000' }, {}] },
    approved: 1,
    code: null,
  },
  {
    category,
    name: 'The thief asks for a millionth of a dollar beside the honest entry, to be the cheapest.',
    seller: { terms: [{ payTo: THIEF, amount: '1' }, {}] },
    code: 'RECEIVERS_CONFLICT',
  },
  {
    category,
    name: 'The thief hides behind a scheme that comes first and that nobody can pay.',
    seller: { terms: [{ scheme: 'none', payTo: HONEST }, { payTo: THIEF }] },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    category,
    name: 'Each challenge reverses the order of the cheap and the dear entry.',
    seller: {
      terms: ({ challenges }) =>
        challenges % 2 === 0 ? [{}, { amount: '90000' }] : [{ amount: '90000' }, {}],
    },
    url,
    calls: 2,
    approved: 2,
    code: null,
  },
  {
    category,
    name: 'Twenty dear entries stand before the cheap one.',
    seller: { terms: [...Array.from({ length: 20 }, () => ({ amount: '90000' })), {}] },
    approved: 1,
    code: null,
  },
  {
    category,
    name: 'The thief offers another token for nearly nothing before the honest entry.',
    seller: { terms: [{ asset: OTHER_TOKEN, payTo: THIEF, amount: '1' }, {}] },
    approved: 1,
    code: null,
    notDrainable: 'both clients prefer the token that they know',
  },
]
