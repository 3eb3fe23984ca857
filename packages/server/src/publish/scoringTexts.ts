import { DELIVERY_PRICE_FACTOR, UNBUYABLE_REASONS } from '@touchstone402/shared'
import { receiverProofMessage, rotationMessage } from '../facts/rotation.ts'
import { MINUTE } from '../facts/times.ts'
import { DRAWN_MOST_MS, INTERVALS } from '../judge/schedule.ts'
import { days, hours, LIMITS } from '../judge/spec.ts'

const minutes = (ms: number) => `${ms / MINUTE} minutes`

/** Markdown on when endpoints are probed, and by which client identity. */
export const CLIENT_RULES: readonly string[] = [
  '## When an endpoint is probed',
  `Scheduled probes come at drawn times: the gap to the next one follows an exponential distribution, so that having just been probed says nothing about the next probe. On average live endpoints are probed every ${hours(INTERVALS.steady)}; every ${hours(INTERVALS.fresh)} while they are new; every ${hours(INTERVALS.changed)} for a day after a change; every ${minutes(INTERVALS.faulty)} after transient faults; and every ${minutes(INTERVALS.flapping)} while a fifth of a day's probes fail and \`flaky\` is not raised yet. Endpoints that refuse the prober are probed with back-off, down to once in ${hours(INTERVALS.refusedMost)}, at most a tenth later. No gap is longer than ${hours(DRAWN_MOST_MS)}.`,
  `Dark endpoints are probed at the latest every ${hours(INTERVALS.darkFirst)} for the first day after they were live, and with back-off down to once in ${hours(INTERVALS.darkMost)}. Doubts are followed up after ${minutes(INTERVALS.confirm)}, differences between identities after ${minutes(INTERVALS.difference)}, up to a tenth later at random.`,
  'The client identity of a probe is drawn by lot: a client of Node most of the time, else one of Python or our own; one that has waited longer is likelier. Where curl, or Python with requests or httpx, is installed, about one scheduled probe in ten is made by that program itself. The last three identities close an open question, asked in turn. A live check asks as three: ours, one of Node and another.',
  `After a third of the scheduled GET probes, another value of the query that the host declares (an enum, a range, an example), a generated value that fits its schema and names nobody, or the bare URL, is sent as well. Other terms are then asked for again by another client. Where both see the same, they are \`terms_follow_input\` for a declared value, and \`price_varies\` for other input. The signed terms are those of the usual input alone. They are compared with the usual input beside them and with nothing else; a refused one counts for nothing. Other methods send only what the host declares.`,
]

const EXAMPLE = rotationMessage({
  host: 'api.example.com',
  network: 'eip155:8453',
  oldPayTo: '0x1111111111111111111111111111111111111111',
  newPayTo: '0x2222222222222222222222222222222222222222',
  validFrom: '2026-06-01T12:00:00Z',
})

const PROOF = receiverProofMessage({
  host: 'api.example.com',
  network: 'eip155:8453',
  payTo: '0x1111111111111111111111111111111111111111',
  expires: '2026-12-01T00:00:00Z',
})

/** Markdown on what sellers can do. */
export const RECOURSE: readonly string[] = [
  '## Requesting another probe',
  'Each host has a profile, `/services/{host}`, with the findings for and against it and the probes behind them. Check now, on the page for its owner, `/owners/{host}`, probes its listed endpoints, free of charge.',
  '## Announcing a new receiver',
  "An attacker who takes over a receiver may also control the host, so the host's own statement does not count. A change is announced if the **old** receiver signed it, or if the old receiver paid the new one on Base, within 30 days before the new one was first named, the exact amount below a cent that the page for its owner shows. Other payments announce nothing.",
  'The signature is published in `/.well-known/x402`, at the top level or as an entry of a list named `rotations`:',
  '```json\n{\n  "newPayTo": "0x2222222222222222222222222222222222222222",\n  "validFrom": "2026-06-01T12:00:00Z",\n  "network": "eip155:8453",\n  "signature": "0x…"\n}\n```',
  '`network` is a CAIP-2 id; the default is Base. The old receiver signs this text with `personal_sign` (EIP-191): lines joined by line feeds with none at the end, addresses in lower case, the host with its port unless that is the default of its scheme, `validFrom` exactly as published (`YYYY-MM-DDTHH:MM:SSZ`).',
  `\`\`\`text\n${EXAMPLE}\n\`\`\``,
  '`validFrom` must not be later than the time at which the new receiver was first seen. The document is read when another receiver is first seen, and at each probe while an unannounced change stands: a signature published late clears the flag too. Contracts cannot sign by EIP-191; they announce a change by paying the new receiver beforehand.',
  '## Signing for the host',
  'A receiver proves that it belongs to a host by a signature in `/.well-known/x402`, as an entry of a list named `receivers`. This adds 2 points:',
  '```json\n{\n  "receivers": [\n    {\n      "network": "eip155:8453",\n      "payTo": "0x1111111111111111111111111111111111111111",\n      "expires": "2026-12-01T00:00:00Z",\n      "signature": "0x…"\n    }\n  ]\n}\n```',
  'The receiver signs this text in the same way. It expires after a year at most, and is read once a day:',
  `\`\`\`text\n${PROOF}\n\`\`\``,
  'A receiver on Base that is a contract proves it by accepting the signature (ERC-1271); of several entries, its first is checked. A copy names another host and proves nothing there. The proof holds for its receiver until it expires, and announces no other receiver.',
  '## Deliveries',
  'Each verdict states the outcome of the test purchases at the endpoint, as `delivery`. It is in the signed decision, and a guard can require a delivery above an amount (`requireDeliveryAboveUsd`).',
  [
    '- `delivered` or `failed`: the last test purchase that is shown, with its month. A delivery states what was paid (`paidUsd`).',
    '- `never_bought`: it can be bought from, and no purchase counts yet.',
    '- `cannot_be_bought`: the code in `reason` says why.',
    `- A purchase is shown 3 to 21 days later, at a drawn time, so that a seller cannot tell which payment was the test. Two in a row without a delivery are a finding, which is shown at once.`,
    `- A purchase counts for the receiver that was paid, and for ${days(LIMITS.deliveryMemoryMs)}. \`delivered\` is stated only if every offer pays that receiver, on whatever network; otherwise \`never_bought\` says \`receivers_differ\`.`,
    '- The first delivery after a failure only confirms: the outcome stays `failed` until one more purchase is delivered.',
    `- Delivered is a 2xx with an answer. White space, \`{}\`, \`null\` and \`""\` are no answer, nor is a page where the challenge or the response declares JSON. An empty list is one, since a search may find nothing.`,
    '- A 5xx, no answer, an empty 2xx or a second 402 after settlement is undelivered. Any other 4xx is a charged error, and undelivered too where the host itself declares the input that was sent.',
    `- The call is drawn by lot among those that the host itself declares and the limit covers; one of four times the price is drawn half as often.`,
  ].join('\n'),
  [
    '| reason | meaning |',
    '|---|---|',
    ...Object.entries(UNBUYABLE_REASONS).map(([code, text]) => `| \`${code}\` | ${text} |`),
  ].join('\n'),
  '## Funding a test purchase',
  `A call above the limit of test purchases, or with \`unproven\` for a dear offer, is bought if its seller funds it. \`/owners/{host}\` shows an exact amount of USDC for each such endpoint: its dearest price, and a tag below a cent. Send it from the receiver of the endpoint to the address of this service. Only that receiver is paid. A payment that endpoints of several registrable domains match funds none. One call is bought 1 to 14 days later, once for each payment, and its outcome is shown 3 to 21 days after that. It clears \`unproven\` for prices up to ${DELIVERY_PRICE_FACTOR} times what was paid. The amount is not refunded; what buys nothing within 90 days, or fits no endpoint, is kept.`,
  '## Declining probes',
  `A host declines probes by a \`robots.txt\` group that names \`touchstone\` and disallows the path (a group for \`*\` is for crawlers that follow links), or by \`"probes": false\` in \`/.well-known/x402\`. Both are read once a day. From then on the host is not probed: its probes are recorded as not measured, and ${hours(LIMITS.verdictLifetimeMs)} after the last measurement the verdict is unknown and there is no score. Flags, risk level and open incidents, which only a probe can clear, stay for up to ${days(LIMITS.keptProbesMs)} after the last probe.`,
  'While a fault of ours keeps us from reading both and no earlier reading is known, the host is not probed. Until what it declares in `/.well-known/x402` and `/openapi.json` was read too, as far as it lets itself be read, the audit of an endpoint is unfinished: its first successes are recorded as not measured, and the verdict stays unknown.',
  '## Recomputing a verdict',
  'Every verdict is a pure function of recorded facts and this specification. The stored state names its observations; `recompute` judges a host again from the facts recorded at that time and reports any field that differs.',
  '## Limitations',
  [
    '- A seller that changes its price by more than a fifth from request to request, always far above its own claim, looks like one with dynamic prices; the verdict states the measured range.',
    '- A seller with random receivers is `payto_rotates` and Caution, even if one of the receivers is a thief. It is Safe only while one key signs every offer.',
    '- Probes come from one address, unless the operator sets other ways out for probes, free checks and test purchases. An address can be found out: a seller that treats it differently shows us other terms. Test purchases come from other accounts with the request of a stock client; their results are in no probe.',
    "- Header lines are those of stock clients, byte by byte. The TLS handshake is Node's for every identity that we write, so a seller that reads it can tell our identities of Python from Python. Programs that we run bring their own.",
    '- Of sellers that steal for a tenth of the time at moments of their choice, half are met by a probe within 25 hours; of those that steal for a hundredth, within nine days.',
    '- A test purchase shows that something was delivered, not that it was right. The seller of a funded one may guess which it is.',
    '- Payers whose funding is not found in the day before their first payment, or that minted their tokens, count as their own source.',
    '- A delivery is of the call and method that was bought. It is not known whether other methods, or offers on other networks to the same receiver, deliver.',
    '- Chain records are read on Base only. On other chains the history of a receiver is unknown.',
    "- A new offer with its own receiver is signed for after a week of the same terms, even if a thief made it: the receiver beside it stays the seller's, and clients take the first offer they can pay.",
    '- Deposit addresses that stay the same for more than a minute look like a changed receiver; addresses per client look like cloaking.',
    '- Bait is raised only after a day, since a listing may be stale; before that it shows as drift and as a price jump.',
    '- Older blocks are read step by step. Until all are read, receipts before `historyFrom` do not show.',
    '- Payers that one address sent the most USDC within a day before their first payment count as one, for the first 100 payers and as far as 12 requests read it. Customers of one exchange therefore count as one.',
    '- Payers that the receiver funded through two or more addresses, or through an exchange, pool or router (1,000 transfers within 90 days), count as any other.',
  ].join('\n'),
]
