import { approves, attack, eachNew, type Scenario } from '../situations.ts'
import { HONEST, OTHER_TOKEN, THIEF } from '../world.ts'

const order = attack('accepts_ordering')

/** Lists of entries whose order or number leads a client to the wrong one. */
export const ordering: readonly Scenario[] = [
  order(
    'A cheap entry on a network that the caller lacks stands before a dear one on its own.',
    'PRICE_ABOVE_CHECKED',
    { terms: [{ network: 'eip155:137', amount: '100' }, { amount: '90000' }] },
  ),
  order('The dear entry hides between two equal cheap ones.', null, {
    terms: [{ amount: '90000' }, {}, { amount: '90000' }, {}],
    approved: 1,
  }),
  order(
    'The thief asks for a millionth of a dollar beside the honest entry, to be the cheapest.',
    'RECEIVERS_CONFLICT',
    { terms: [{ payTo: THIEF, amount: '1' }, {}] },
  ),
  order(
    'The thief hides behind a scheme that comes first and that no client can pay.',
    'RECEIVER_NOT_CHECKED',
    {
      terms: [{ scheme: 'none', payTo: HONEST }, { payTo: THIEF }],
    },
  ),
  order('Each challenge reverses the order of the cheap and the dear entry.', null, {
    terms: ({ challenges }) => (challenges % 2 === 0 ? [{}, { amount: '90000' }] : [{ amount: '90000' }, {}]),
    url: eachNew,
    ...approves(2, 2),
  }),
  order('Twenty dear entries stand before the cheap one.', null, {
    terms: [...Array.from({ length: 20 }, () => ({ amount: '90000' })), {}],
    approved: 1,
  }),
  order('The thief offers another token for nearly nothing before the honest entry.', null, {
    terms: [{ asset: OTHER_TOKEN, payTo: THIEF, amount: '1' }, {}],
    approved: 1,
    notDrainable: 'both clients prefer the token that they know',
  }),
]
