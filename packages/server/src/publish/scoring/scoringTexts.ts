import { DELIVERY_PRICE_FACTOR, UNBUYABLE_REASONS } from '@touchstone402/shared'
import { receiverProofMessage, rotationMessage } from '../../facts/rotation.ts'
import { MINUTE } from '../../facts/times.ts'
import { DRAWN_MOST_MS, INTERVALS } from '../../judge/schedule.ts'
import { days, hours, LIMITS } from '../../judge/spec.ts'

const minutes = (ms: number) => `${ms / MINUTE} minutes`

/** Markdown on when endpoints are probed, and by which client identity. */
export const CLIENT_RULES: readonly string[] = [
  '## When an endpoint is probed',
  `Scheduled probes come at random times. The gap to the next one follows an exponential distribution, so that a probe says nothing about when the next one comes. No gap is longer than ${hours(DRAWN_MOST_MS)}.`,
  [
    '| endpoint | probed, on average |',
    '| --- | --- |',
    `| live | every ${hours(INTERVALS.steady)} |`,
    `| new | every ${hours(INTERVALS.fresh)} |`,
    `| changed, for a day | every ${hours(INTERVALS.changed)} |`,
    `| after transient faults | every ${minutes(INTERVALS.faulty)} |`,
    `| a fifth of a day's probes fail, and \`flaky\` is not raised yet | every ${minutes(INTERVALS.flapping)} |`,
    `| refuses the prober | with back-off, down to once in ${hours(INTERVALS.refusedMost)}, at most a tenth later |`,
    `| dark, on the first day | at the latest every ${hours(INTERVALS.darkFirst)} |`,
    `| dark, later | with back-off, down to once in ${hours(INTERVALS.darkMost)} |`,
  ].join('\n'),
  `Doubts are followed up after ${minutes(INTERVALS.confirm)}, differences between identities after ${minutes(INTERVALS.difference)}, up to a tenth later at random.`,
  'Which client a probe imitates:',
  [
    '- The client identity is drawn at random: a client of Node most of the time, else one of Python or our own. One that has waited longer is likelier.',
    '- Where curl, or Python with requests or httpx, is installed, that program itself makes about one scheduled probe in ten.',
    '- An open question is put to the last three identities, in turn.',
    '- A live check asks as three identities: ours, one of Node and another.',
  ].join('\n'),
  'Which input a probe sends:',
  [
    '- After a third of the scheduled GET probes, a second request has other input: another declared value of the query (an enum, a range, an example), a generated value that fits its schema and names nobody, or the bare URL.',
    '- If the terms differ, another client asks again. If both see the same, the finding is `terms_follow_input` for a declared value, and `price_varies` for other input.',
    '- The signed terms are those of the usual input alone.',
    '- Terms for other input are compared only with the terms for the usual input beside them. A refused request counts for nothing.',
    '- Other methods send only what the host declares.',
  ].join('\n'),
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
  'Each host has a profile, `/services/{host}`, with its findings and the probes behind them. "Check now" on its owner page, `/owners/{host}`, probes its listed endpoints free of charge.',
  '## Announcing a new receiver',
  "An attacker who takes over a receiver may also control the host, so the host's own statement does not count. A change is announced in one of two ways:",
  [
    '- The **old** receiver signs it.',
    '- The **old** receiver pays the new one on Base, within 30 days before the new one was first named: exactly the amount below a cent that the owner page shows. Other payments announce nothing.',
  ].join('\n'),
  'The signature is published in `/.well-known/x402`, at the top level or as an entry of a list named `rotations`:',
  '```json\n{\n  "newPayTo": "0x2222222222222222222222222222222222222222",\n  "validFrom": "2026-06-01T12:00:00Z",\n  "network": "eip155:8453",\n  "signature": "0x…"\n}\n```',
  '`network` is a CAIP-2 id; the default is Base. The old receiver signs the text below with `personal_sign` (EIP-191). Its lines are joined by line feeds, with none at the end. Addresses are in lower case. The host has its port, unless that is the default of its scheme. `validFrom` stands exactly as published (`YYYY-MM-DDTHH:MM:SSZ`).',
  `\`\`\`text\n${EXAMPLE}\n\`\`\``,
  [
    '- `validFrom` must not be later than the first probe that saw the new receiver.',
    '- The document is read when another receiver is first seen, and at each probe while the change is not announced. A signature that is published late clears the flag too.',
    '- Contracts cannot sign by EIP-191. They announce a change by paying the new receiver beforehand.',
  ].join('\n'),
  '## Signing for the host',
  'A receiver proves that it belongs to a host by a signature in `/.well-known/x402`, as an entry of a list named `receivers`. This adds 2 points:',
  '```json\n{\n  "receivers": [\n    {\n      "network": "eip155:8453",\n      "payTo": "0x1111111111111111111111111111111111111111",\n      "expires": "2026-12-01T00:00:00Z",\n      "signature": "0x…"\n    }\n  ]\n}\n```',
  'The receiver signs this text in the same way. It expires after a year at most, and is read once a day:',
  `\`\`\`text\n${PROOF}\n\`\`\``,
  [
    '- A contract on Base proves it by accepting the signature (ERC-1271); its first entry is checked.',
    '- On another host a copy proves nothing, since it names this one.',
    '- The proof is valid until it expires, for its receiver alone. It announces no other receiver.',
  ].join('\n'),
  '## Deliveries',
  'Each verdict states the outcome of the test purchases at the endpoint, as `delivery`. It is in the signed decision, and a guard can require a delivery above an amount (`requireDeliveryAboveUsd`).',
  [
    '- `delivered` or `failed`: the last published test purchase, with its month. A delivery states what was paid (`paidUsd`).',
    '- `never_bought`: it can be bought from, but no purchase counts yet.',
    '- `cannot_be_bought`: the code in `reason` says why.',
    '- A purchase is published 3 to 21 days later, at a random time, so that a seller cannot tell which payment was the test. Two in a row without a delivery are a finding, which is published at once.',
    `- A purchase counts for ${days(LIMITS.deliveryMemoryMs)}, and for the receiver that was paid. If an offer on any network pays another receiver, the outcome is \`never_bought\` with the reason \`receivers_differ\`.`,
    '- After a failure, the outcome stays `failed` until two purchases in a row are delivered.',
    '- Delivered is a 2xx with an answer. White space, `{}`, `null` and `""` are no answer, nor is a page where the challenge or the response declares JSON. An empty list is an answer, since a search may find nothing.',
    '- A 5xx, no answer, an empty 2xx or a second 402 after settlement is undelivered. Any other 4xx is a charged error; it is undelivered too if the host itself declares the input that was sent.',
    '- The call is drawn at random from those that the host itself declares and the limit covers. One of four times the price is drawn half as often.',
  ].join('\n'),
  [
    '| reason | meaning |',
    '|---|---|',
    ...Object.entries(UNBUYABLE_REASONS).map(([code, text]) => `| \`${code}\` | ${text} |`),
  ].join('\n'),
  '## Funding a test purchase',
  'A call above the limit of test purchases, or one with `unproven` for an expensive offer, is bought if its seller funds it.',
  [
    '- `/owners/{host}` shows an exact amount of USDC for each such endpoint: its highest price, and a tag below a cent.',
    '- Send it from the receiver of the endpoint to the address of this service. Only that receiver is paid.',
    '- A payment that matches endpoints of several registrable domains funds none.',
    '- One call is bought for each payment, 1 to 14 days later. Its outcome is published 3 to 21 days after that.',
    `- A delivery clears \`unproven\` for prices up to ${DELIVERY_PRICE_FACTOR} times what was paid.`,
    '- The amount is not refunded. A payment that buys nothing within 90 days, or fits no endpoint, is kept.',
  ].join('\n'),
  '## Declining probes',
  'A host declines probes in one of two ways. Both are read once a day:',
  [
    '- a group in `robots.txt` that names `touchstone` and disallows the path; a group for `*` is for crawlers that follow links',
    '- `"probes": false` in `/.well-known/x402`',
  ].join('\n'),
  'From then on:',
  [
    '- The host is not probed, which is recorded as not measured.',
    `- ${hours(LIMITS.verdictLifetimeMs)} after the last measurement the verdict is unknown, without a score.`,
    `- Flags, risk level and open incidents, which only a probe can clear, stay for up to ${days(LIMITS.keptProbesMs)} after the last probe.`,
  ].join('\n'),
  'If a fault of ours keeps us from reading both, and no earlier reading is known, the host is not probed. An audit also reads `/.well-known/x402` and `/openapi.json`, as far as they can be read. Until then the first successes are recorded as not measured, and the verdict stays unknown.',
  '## Recomputing a verdict',
  'Every verdict is a pure function of recorded facts and this specification. What can be recomputed, and from when:',
  [
    '- **A verdict, from the second day after its last probe**: `touchstone-server log recompute URL --service SERVICE --key KEY`. A day of probes is published 24 hours after its end. The command judges them with the function of the service, and compares the result with the log entry and the signed verdict, field by field.',
    '- **A finding, at once**: `touchstone-server log recompute findings URL --service SERVICE`. The probes that a finding cites are public as long as it stands. It covers changed, flickering and alternating receivers, terms that differ by client, and prices above the listed one.',
    '- **How verdicts held, once the days after them are public**: `touchstone-server log recompute accuracy --after 7 --service SERVICE --key KEY`.',
    '- **Everything on record, at any time, by the operator**: `npm run serve -- recompute HOST`.',
  ].join('\n'),
  'Not recomputed: the median price of a category, and deliveries of the last 30 days, which the decision states; probes older than 90 days, which are deleted; verdicts by another version of the score, which need its release. No command shows that the probes are true: compare them with requests of your own.',
  '## Limitations',
  [
    '- A seller that changes its price by more than a fifth from request to request, always far above its own claim, looks like one with dynamic prices; the verdict states the measured range.',
    '- A seller with random receivers is `payto_rotates` and Caution, even if one of the receivers is a thief. It is Safe only while one key signs every offer.',
    '- Probes come from one address, unless the operator sets others for probes, free checks and test purchases. A seller that recognizes the address can show it other terms. Test purchases come from other accounts, with the request of a stock client; no probe contains their results.',
    "- Header lines are those of stock clients, byte by byte. The TLS handshake of imitated clients is Node's, so a seller that inspects it can tell our imitation of Python from Python. Programs that we run have their own.",
    '- Of sellers that steal for a tenth of the time, at moments of their choice, a probe catches half within 25 hours; of those that steal for a hundredth, within nine days.',
    '- A test purchase shows that something was delivered, not that it was right. The seller of a funded one may guess which it is.',
    '- Payers whose funding is not found in the day before their first payment, or that minted their tokens, count as their own source.',
    '- A delivery covers the call and method that was bought. Other methods, and offers on other networks to the same receiver, are not tested.',
    '- Chain records are read on Base only. On other chains the history of a receiver is unknown.',
    "- A new offer with its own receiver joins the signed terms after a week of the same terms, even if a thief made it: the receiver beside it stays the seller's, and clients take the first offer they can pay.",
    '- Deposit addresses that stay the same for more than a minute look like a changed receiver; addresses per client look like cloaking.',
    '- Bait is raised only after a day, since a listing may be stale; before that it shows as drift and as a price jump.',
    '- Older blocks are read step by step. Until all are read, receipts before `historyFrom` do not show.',
    '- Payers with the same main source of USDC in the day before their first payment count as one, for the first 100 payers and as far as 12 requests read it. Customers of one exchange therefore count as one.',
    '- Payers that the receiver funded through two or more addresses, or through an exchange, pool or router (1,000 transfers within 90 days), count as any other.',
  ].join('\n'),
]
