import { MINUTE } from '../facts/times.ts'
import { rotationMessage } from '../judge/rotation.ts'
import { INTERVALS } from '../judge/schedule.ts'
import { hours, LIMITS } from '../judge/spec.ts'

const minutes = (ms: number) => `${ms / MINUTE} minutes`

/** When and as whom endpoints are looked at. */
export const CLIENT_RULES: readonly string[] = [
  '## When an endpoint is looked at',
  `Each look is made by the client identity that has waited longest, so that what only one of them is shown is seen within as many looks as there are identities. Live endpoints are looked at every ${hours(INTERVALS.steady)}, every ${hours(INTERVALS.fresh)} while they are new, every ${hours(INTERVALS.changed)} for a day after a change, every ${minutes(INTERVALS.faulty)} after faults that did not last, and every ${minutes(INTERVALS.flapping)} while a fifth of a day's looks fail and \`flaky\` is not raised yet. Doubts are followed up after ${minutes(INTERVALS.confirm)}, differences between identities after ${minutes(INTERVALS.difference)}. The dead are looked at ever more rarely, down to once in ${hours(INTERVALS.darkMost)}, and those that refuse the prober down to once in ${hours(INTERVALS.refusedMost)}.`,
]

const EXAMPLE = rotationMessage({
  host: 'api.example.com',
  network: 'eip155:8453',
  oldPayTo: '0x1111111111111111111111111111111111111111',
  newPayTo: '0x2222222222222222222222222222222222222222',
  validFrom: '2026-06-01T12:00:00Z',
})

/** What a seller can do. */
export const RECOURSE: readonly string[] = [
  '## Asking for another look',
  'Each host has a profile, `/services/{host}`, which shows what speaks for it and against it, with the looks that this rests on. Its button "Look again now" puts the host in front of the queue, free of charge.',
  '## Announcing a new receiver',
  "Whoever takes over a receiver may hold the host as well, so the host's own word counts for nothing. A change is announced when the **old** receiver signed it, or when the old receiver paid the new one in USDC on Base within 30 days before the new one was first named (a transfer of nothing does not count).",
  'The signature stands in `/.well-known/x402`, at the top or as an entry of a list named `rotations`:',
  '```json\n{\n  "newPayTo": "0x2222222222222222222222222222222222222222",\n  "validFrom": "2026-06-01T12:00:00Z",\n  "network": "eip155:8453",\n  "signature": "0x…"\n}\n```',
  '`network` is a CAIP-2 id and Base where it is absent. The old receiver signs this text with `personal_sign` (EIP-191): lines joined by a line feed with none at the end, addresses in lower case, the host with its port where that is not the default of its scheme, `validFrom` exactly as published (`YYYY-MM-DDTHH:MM:SSZ`).',
  `\`\`\`text\n${EXAMPLE}\n\`\`\``,
  '`validFrom` must not be later than the moment at which the new receiver was first seen. The document is read when another receiver is first seen, and at each look while an unannounced change stands: a signature that is published late clears the flag too. Contracts cannot sign by EIP-191; they announce by paying the new receiver beforehand.',
  '## Declining probes',
  `A host declines by a \`robots.txt\` group that names \`touchstone\` and disallows the path (a group for \`*\` is about crawlers that follow links), or by \`"probes": false\` in \`/.well-known/x402\`. Both are read once a day. Nothing is asked from then on: the looks are recorded as not measured, and ${hours(LIMITS.verdictLifetimeMs)} after the last measurement the verdict is unknown and the score absent, whatever they were.`,
  '## Recomputing a verdict',
  'Every verdict is a pure function of recorded facts and of this specification. The stored state names the observations it rests on; `recompute` judges a host once more by what had been recorded at that time, and says which fields are equal.',
  '## What it cannot see',
  [
    '- A seller that changes its price by more than a fifth from request to request, always far above its own claim, looks like one with dynamic prices; the verdict states the range that was measured.',
    '- A seller that draws its receiver by lot is `payto_rotates` and Caution, also where one of the receivers is a thief. It is never safe.',
    '- Deposit addresses that stay the same for longer than a minute look like a change of receiver; addresses given to each client like cloaking.',
    '- Bait is bait only after a day, since a listing may be stale; before that it shows as drift and as a price jump.',
    '- A chain history of 90 days says nothing of what was received before.',
  ].join('\n'),
]
