import { SHOWN_DAYS } from './figures.ts'
import { LIVE_SHARE } from './outcome.ts'

/** Section of the methodology on how the service measures its own verdicts. */
export const ACCURACY_TEXTS: readonly string[] = [
  '## How well verdicts hold',
  'Each daily report records the current verdict, band and terms of every listed endpoint, once a day however often it is probed. After 1, 7 and 30 days it counts what followed:',
  [
    `**live**: at least ${LIVE_SHARE * 100} % of the scheduled probes were answered with terms.`,
    '**same terms**: no probe of any kind asked for another receiver, or for more than the terms that were signed then.',
    '**held**: both. Where nothing was measured, the verdict is counted as not measured. An endpoint that was dropped because it stayed dark did not hold.',
    '**delivered**: each test purchase of the period was delivered. Purchases are counted 30 days after the period, when the log holds them; until then they are not known, not undelivered.',
    '**Avoid afterwards**: the verdict was Avoid when the outcome was counted. For Avoid that means: later confirmed by us, since others may have seen nothing.',
  ]
    .map((line) => `- ${line}`)
    .join('\n'),
  `\`/status.json\`, \`/reports.json\` and \`/trust-score.json\` state by verdict and score band the share of verdicts that held over the last ${SHOWN_DAYS} counted days:`,
  [
    '- Each registrable domain (tenants of one platform taken together) counts once, by the mean of its endpoints, so that a seller with many endpoints does not dilute a band.',
    '- The share by endpoints stands beside it.',
    '- The interval is the 95 % Wilson interval over the domains of an average day.',
  ].join('\n'),
  '**Skill** compares the bands with the base rate:',
  [
    '- Each band forecasts its share over the 30 days whose outcomes were known when the verdict stood. The reference forecasts the share of all bands over the same days.',
    '- The Brier skill score is 1 for a perfect forecast and 0 for one no better than the base rate.',
    '- `unknown` forecasts nothing: it counts only in the coverage.',
  ].join('\n'),
  'These figures miss what no probe and no purchase of ours found: the number of undetected thieves is unknown. `log recompute accuracy` counts a day from the log, once the probes after it are public.',
]
