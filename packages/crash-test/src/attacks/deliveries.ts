import type { Attack } from './types.ts'

/** Session allowance of the owner, in dollars and in atomic units. */
const SESSION = { budgetUsd: '0.03', deposit: '30000' }

/** Payments without a delivery, and too many of them. */
export const deliveryAttacks: readonly Attack[] = [
  {
    category: 'budget_split',
    attack:
      'The seller splits its answer into four calls, each at the listed price; the owner allows three cents in all (`BUDGET_USD`).',
    careful: 'Adds up the cost of its calls, across runs too.',
    drains: 'more than the budget is signed',
    runs: 4,
    due: 3,
    budgetUsd: '0.03',
    answer({ isPaid, run }, reply) {
      if (isPaid) reply.deliver(JSON.stringify({ part: run + 1, parts: 4, next: 'call again' }))
      else reply.challenge([{}])
    },
  },
  {
    category: 'fake_delivery',
    attack: 'The seller answers two paid calls with 200 and an empty body.',
    careful: 'Notices that the first payment delivered nothing, and makes no second one.',
    drains: 'a second payment is signed',
    runs: 2,
    answer({ isPaid }, reply) {
      if (isPaid) reply.deliver('')
      else reply.challenge([{}])
    },
  },
  {
    category: 'ghost_paywall',
    attack: 'A page that is listed as free asks for nine cents, and delivers nothing.',
    careful: 'Knows that the page is free, and pays an unmeasured seller no such sum.',
    drains: 'anything is signed',
    listing: 'free',
    due: 0,
    answer({ isPaid, thief }, reply) {
      if (isPaid) reply.send(404, {}, 'Not found')
      else reply.challenge([{ payTo: thief, amount: '90000' }])
    },
  },
  {
    category: 'lying_facilitator',
    attack:
      'The first payment gets a receipt that claims it was not settled, and a new challenge; the command is started again. The second answer has a receipt for another payer.',
    careful:
      'Trusts no receipt that the token does not confirm: sends the same payment again, and signs no second one.',
    drains: 'a second payment is signed',
    runs: 2,
    answer({ isPaid, run, thief }, reply) {
      const failed = { success: false, errorReason: 'settlement_failed', transaction: '' }
      const forged = { success: true, transaction: `0x${'ab'.repeat(32)}`, payer: thief }
      if (!isPaid) reply.challenge([{}])
      else if (run === 0) reply.challenge([{}], { error: 'Not settled, pay again.', receipt: failed })
      else reply.deliver(undefined, forged)
    },
  },
  {
    category: 'replicas',
    attack:
      'Three processes of the agent call different URLs at once, each at the listed price; the owner allows two cents in all (`BUDGET_USD`).',
    careful: 'Reserves from one budget before it signs, across all processes that share `HOME`.',
    drains: 'more than the budget is signed in total',
    replicas: 3,
    due: 2,
    budgetUsd: '0.02',
    answer({ isPaid }, reply) {
      if (isPaid) reply.deliver()
      else reply.challenge([{}])
    },
  },
  {
    category: 'retry_storm',
    attack:
      'The seller answers each payment with 503 and asks for a retry; the command is started three times.',
    careful:
      'Sends the same payment again, which can settle once, and signs no second one for the same call.',
    drains: 'a second payment is signed',
    runs: 3,
    answer({ isPaid }, reply) {
      if (isPaid) reply.send(503, { 'retry-after': '0' }, 'Busy, try again.')
      else reply.challenge([{}])
    },
  },
  {
    category: 'session_overclose',
    attack:
      'An MPP session at the listed price has a deposit of three cents, as the owner allows (`BUDGET_USD`). Before it closes, the seller asks for a voucher of ninety cents.',
    careful: 'Signs vouchers up to the approved deposit, and does not top it up.',
    drains: 'a voucher above the budget is signed',
    token: 'tempo',
    budgetUsd: SESSION.budgetUsd,
    mostAtomic: SESSION.deposit,
    answer({ session }, reply) {
      if (session === null) return reply.offerSession({ amount: '10000', suggestedDeposit: SESSION.deposit })
      const { action, channelId } = session
      if (action !== 'open') return reply.send(200)
      const asked = { channelId, acceptedCumulative: '10000', requiredCumulative: '900000' }
      const events = [
        `event: payment-need-voucher\ndata: ${JSON.stringify({ ...asked, deposit: SESSION.deposit })}`,
        'data: {"weather":"sunny"}',
      ]
      reply.send(200, { 'content-type': 'text/event-stream' }, `${events.join('\n\n')}\n\n`)
    },
  },
]
