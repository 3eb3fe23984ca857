import * as z from 'zod/mini'
import * as common from './common.ts'
import * as f from './fields.ts'

/** Periods after a verdict over which its outcome is counted, in days. */
export const ACCURACY_PERIODS = [1, 7, 30] as const

const afterDays = f.about(
  'Length of the period after the verdict in days: 1, 7 or 30.',
  z.literal([...ACCURACY_PERIODS]),
)
const band = f.about('Band of the score; null without a score.', z.nullable(common.BandSchema))

const OutcomeCountsSchema = f.model(
  'AccuracyCounts',
  'What a period showed of the verdicts of one kind that stood on one day. Each endpoint counts once a day.',
  {
    verdict: common.verdict,
    band,
    endpoints: f.whole('Endpoints with this verdict and band.'),
    domains: f.whole('Registrable domains of these endpoints, tenants of one platform taken together.'),
    measured: f.whole('Endpoints that were measured within the period.'),
    live: f.whole(
      'Endpoints that were live: at least 80 % of their scheduled probes were answered with terms.',
    ),
    sameTerms: f.whole('Endpoints whose probes asked for nothing beyond the signed terms.'),
    held: f.whole('Endpoints that were live and kept to the signed terms.'),
    avoidAfter: f.whole('Endpoints whose verdict was Avoid at the end of the period.'),
    domainsMeasured: f.number('Domains of the measured endpoints.'),
    domainsHeld: f.number('Sum, over these domains, of the share of measured endpoints that held.'),
  },
)

const DeliveryCountsSchema = f.model(
  'DeliveryCounts',
  'Results of test purchases in a period after the verdicts of one kind that stood on one day.',
  {
    verdict: common.verdict,
    band,
    bought: f.whole('Endpoints at which a test purchase settled within the period.'),
    delivered: f.whole('Endpoints at which each of these purchases was delivered.'),
  },
)

/** Counts that one report adds. */
export const AccuracyDaySchema = f.model('AccuracyDay', 'Outcomes that were counted on one day.', {
  outcomes: f.list('Outcomes of earlier verdicts, by the probes of the period.', {
    afterDays,
    date: f.day('Day of the report with which the verdicts stood, UTC.'),
    groups: f.listOf('Counts by verdict and band.', OutcomeCountsSchema),
  }),
  deliveries: f.list('Test purchases, counted 30 days after the period, when the log holds them.', {
    afterDays,
    date: f.day('Day of the report with which the verdicts stood, UTC.'),
    groups: f.listOf('Counts by verdict and band.', DeliveryCountsSchema),
  }),
})

const AccuracyGroupSchema = f.model('AccuracyGroup', 'How the verdicts of one kind held.', {
  verdict: common.verdict,
  band,
  count: f.whole('Verdicts counted, one a day for each endpoint.'),
  sharePct: f.percent('Share of all verdicts counted in percent.'),
  domains: f.number('Registrable domains on an average day.'),
  measured: f.whole('Verdicts whose endpoint was measured within the period.'),
  heldPct: z.nullable(
    f.percent(
      'Share of verdicts after which the endpoint was live and kept to the signed terms, in percent, each registrable domain counting once; null if none was measured.',
    ),
  ),
  lowPct: z.nullable(
    f.percent('Lower end of the 95 % interval of heldPct (Wilson, by domains); null if heldPct is.'),
  ),
  highPct: z.nullable(
    f.percent('Upper end of the 95 % interval of heldPct (Wilson, by domains); null if heldPct is.'),
  ),
  endpointsHeldPct: z.nullable(
    f.percent('Share as in heldPct, each endpoint counting once; null if none was measured.'),
  ),
  avoidAfterPct: z.nullable(
    f.percent(
      'Share of verdicts that were Avoid at the end of the period, in percent; for Avoid: later confirmed by us.',
    ),
  ),
  bought: f.whole('Verdicts after which a test purchase settled, as far as these are published.'),
  delivered: f.whole('Verdicts after which each of these purchases was delivered.'),
})

/** Base rate of one period. */
export const heldPctShape = {
  afterDays,
  heldPct: z.nullable(
    f.percent(
      'Base rate: share that held among all verdicts but unknown, by domains; null if none was measured.',
    ),
  ),
}

export const AccuracyFiguresSchema = f.model(
  'AccuracyFigures',
  'How verdicts held over one period. Thieves that no probe and no purchase found are not known, and so not counted.',
  {
    ...heldPctShape,
    from: z.nullable(f.day('First day whose verdicts are counted, UTC; null without any.')),
    to: z.nullable(f.day('Last day whose verdicts are counted, UTC; null without any.')),
    days: f.whole('Days whose verdicts are counted, at most 30.'),
    coveragePct: z.nullable(
      f.percent('Share of verdicts other than unknown in percent; null if nothing was counted.'),
    ),
    brier: z.nullable(
      f.number(
        'Brier score of the bands, each forecast by its share over the 30 days before; null without forecasts.',
      ),
    ),
    brierOfBaseRate: z.nullable(
      f.number(
        'Brier score of one forecast for all, the base rate of the same 30 days; null without forecasts.',
      ),
    ),
    skill: z.nullable(
      f.number(
        'Brier skill score, 1 - brier / brierOfBaseRate: 1 is perfect, 0 no better than the base rate; null if that is perfect itself.',
      ),
    ),
    groups: f.listOf('Shares by verdict and band, best first.', AccuracyGroupSchema),
  },
)

export type AccuracyPeriod = (typeof ACCURACY_PERIODS)[number]
export type AccuracyCounts = z.infer<typeof OutcomeCountsSchema>
export type DeliveryCounts = z.infer<typeof DeliveryCountsSchema>
export type AccuracyDay = z.infer<typeof AccuracyDaySchema>
export type AccuracyGroup = z.infer<typeof AccuracyGroupSchema>
export type AccuracyFigures = z.infer<typeof AccuracyFiguresSchema>
