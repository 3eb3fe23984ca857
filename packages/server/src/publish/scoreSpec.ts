import { ESTABLISHED_PAYERS, ESTABLISHED_RECEIPTS, type ScoreSpec } from '@touchstone402/shared'
import { PUBLISHED_FLAGS } from '../judge/flags.ts'
import {
  BAND_RANGES,
  days,
  FACTORS,
  hours,
  INCIDENT_CAPS,
  LIMITS,
  POINTS,
  SCORE_VERSION,
} from '../judge/spec.ts'

/** When each factor gives which points. */
const WHEN: Readonly<Record<(typeof FACTORS)[number]['id'], string>> = {
  live: "A well-formed x402 challenge to the endpoint's own method, in header or body; a dark or invalid endpoint scores 0.",
  stability: `stable: the same receiver over at least ${LIMITS.stableProbes} successful probes spanning at least ${hours(LIMITS.stableSpanMs)}; new: fewer probes or a shorter span; changed: changed without an announcement within ${days(LIMITS.changedMs)}.`,
  receiver: `established: at least ${ESTABLISHED_PAYERS} distinct payers that it funded neither directly nor through one other address (payers funded from one source count as one), and ${ESTABLISHED_RECEIPTS} USDC receipts, the last within 30 days; dormant: receipts, but none in 30 days; not known: fewer than that, or not looked up.`,
  uptime: `From ${LIMITS.uptimeMinProbes} scheduled probes on: ${POINTS.uptimePerPoint} points for each percentage point by which the 97.5 % quantile of the posterior (Beta(1,1), half-life ${days(LIMITS.uptimeHalfLifeMs)}) lies below ${LIMITS.uptimeTargetPct} %, by probes or by time, whichever is worse. Without failures nothing is deducted.`,
  conformance: `resource names another origin: ${POINTS.conformance.foreignResource}; input is needed and not declared: ${POINTS.conformance.undeclaredInput}; the challenge is where stock clients do not look (v2 in the body only, v1 in a header only): ${POINTS.conformance.misplacedChallenge}. A correct challenge costs nothing.`,
  proof: `The last test purchase was delivered, within ${days(LIMITS.purchaseMemoryMs)}: ${POINTS.proof.delivered}; the receiver signed for the host in /.well-known/x402, or signed its offers: ${POINTS.proof.signed}.`,
  priceStability: `${-POINTS.priceJump} points for each price_jump within ${days(LIMITS.priceJumpMemoryMs)}.`,
}

/** The specification as `/trust-score.json` publishes it. */
export const SCORE_SPEC: ScoreSpec = {
  version: SCORE_VERSION,
  bands: BAND_RANGES.map((range) => ({ ...range })),
  factors: FACTORS.map((factor) => ({ ...factor, when: WHEN[factor.id] })),
  flags: PUBLISHED_FLAGS,
  verdictRules: [
    {
      verdict: 'unknown',
      when: `Never measured, or the status was not confirmed for ${hours(LIMITS.verdictLifetimeMs)}, or every offer is on a network that is not known and the risk level is not high; there is no score then.`,
    },
    {
      verdict: 'avoid',
      when: `Dark or invalid (confirmed), or risk level high, or score below ${LIMITS.avoidBelow}.`,
    },
    {
      verdict: 'caution',
      when: `Risk level medium, or score below ${LIMITS.cautionBelow} now or by a failed probe of the last ${hours(LIMITS.flakyMemoryMs)}, or the last probe names another receiver that is not confirmed yet, or at least ${LIMITS.refusedProbes} probes in a row were refused or answered in a form that is not known.`,
    },
    { verdict: 'safe', when: 'Otherwise.' },
  ],
  caps: Object.entries(INCIDENT_CAPS).map(([incident, maxScore]) => ({ incident, maxScore })),
  thresholds: { ...LIMITS },
  changelog: [
    {
      version: '1.3.0',
      date: '2026-11-29',
      changes: [
        'Judged is whatever some stock client could sign: entries that only lenient clients read, deposits and the maximum of upto at what they can cost, challenges of MPP. terms_unreadable (low): parts cannot be read. terms_hidden (medium): what only some clients read pays another receiver or more. price_incomparable (medium): another receiver at a price that cannot be compared; price_unknown (low) names each offer without a price.',
        'Scheduled probes come at drawn times, so the last probe says nothing about the next; each drawn gap is published, and uptime counts up to it. Live checks are kept apart, the newest 200, and displace no scheduled probe.',
        'A receiver that was seen once among stable ones is receiver_flickers (medium) for 7 days; on two occasions within 30 days it is receiver_alternates (high).',
        "Probes send the exact header lines of Node's fetch, undici, axios, got, httpx and requests, drawn by lot; probes, checks and purchases may leave by different addresses.",
        'About one scheduled probe in ten is made by curl, or by requests or httpx of Python, run as a program, where they are installed. Cloaking compares equal requests only.',
        'Other declared input is sent as well, and generated values to unpaid GETs; a receiver or price that follows a declared value is terms_follow_input (medium), one that follows other input is price_varies. The signed terms are those of the usual input.',
        'An endpoint keeps the receivers that it began with: adding one and dropping the old one is payto_changed (high), receiver_handed_over (medium) after a week together, and nothing after 30 days. An added offer to another receiver is signed for after a week. Only the old receiver announces a change, by its signature or by an exact payment; ordinary payments announce nothing, and the new one confirms itself neither beside nor after another.',
        'receiver_confirmed_by_host (medium): the owner of a host that was claimed by DNS before confirmed the change, and it stayed for 7 days.',
        'Incidents accuse other hosts only where one of our purchases paid the receiver; other paths of the accused host are host_accused (medium).',
        'Every verdict states the delivery of test purchases, shown days to weeks later; it counts only for the receiver that was paid. unproven (medium): above $1 a call without a delivery of at least a third of the price and without an established receiver. What is bought is drawn by lot among the declared calls. A seller may fund a test purchase of its dearest offer, to the receiver that funded it.',
        'A 5xx, no answer, an empty 2xx, a page where JSON is declared or a second 402 after settlement is undelivered; a 4xx is so only for the declared sample. charges_errors (medium): two test purchases within 60 days settled and were answered with a 4xx other than 402.',
        'delivered holds only where every offer pays the receiver that was bought from. A failed purchase is repeated within two days from another account, and that delivery alone does not count. The dearest signed price decides unproven. A test purchase is shown by month, and linked once it is published.',
        'Payers that were paid by one address count as one; tokens that were minted to them name no common source. Plain words are no answer where JSON is declared.',
        'The usual price counts each domain once, by the rules of ICANN, and only after 30 days. A category that directories chose is never stricter than everything listed.',
        'price_differs (medium): the price is over 20 % above the one in the document of the seller. price_bait (high) and bait_and_switch need more than 3 times, a day apart. Ranges and rates claim no price.',
        'A sandbox on a test network does not count beside other endpoints. Prices within 20 % of one another between clients are price_varies, not cloaked. An open difference is settled by asking three clients. Pages of known bot filters are refusals of the prober.',
        'name_confusable (medium): a host with characters beyond ASCII that looks like an older listed host. Names are shown decoded beside their ASCII form; mixed scripts are said.',
        'A finding publishes at once what was answered in every probe that its rule asks for, twelve for a changed receiver; exact times and clients follow after 24 hours, once all probes of that time are public.',
        'The service counts how its own verdicts held after 1, 7 and 30 days, by verdict and score band.',
      ],
    },
    {
      version: '1.2.0',
      date: '2026-11-26',
      changes: [
        'protocols_disagree (high): the 402 asks for different payments by x402 and by another protocol.',
        'A judgement reads the probes of the last 90 days, at most the newest 2,000; receivers, prices and outages from before stand as they were published.',
        'Probes are published exactly 24 hours after they were made, those that a finding cites at once, so that anyone can recompute a verdict. A finding keeps the probes that showed it first.',
        'Receivers, prices and differences between clients are compared over all offers of a challenge, test networks beside others left out. A new offer is terms_new (low), or terms_unproven (medium) where its receiver is another, and out of the signed terms until it is confirmed.',
        'One client that gets another offer in front is cloaked, whatever its network or asset.',
        'price_high judges the dearest offer of any network and asset; tokens have a price in the table, and price_unknown (low) says where none has.',
        'price_varies (medium): a price that varies at random by more than 3 times. The signed terms end at 3 times the median.',
        'A v2 body is compared as well. unpayable_by_stock (low): stock clients refuse every offer.',
        "Only documents of the host itself are the seller's word: a listing of a directory raises at most price_drift. receiver_differs_from_listing (medium): the receiver differs from the seller's own document.",
        'Incidents count against other endpoints of their receiver and host: receiver_flagged (high), receiver_accused_elsewhere and host_accused (medium). A host is not Safe while an endpoint that went away is under a critical incident.',
        'What only a probe can clear does not expire without one: declining probes lifts no incident. It ends 90 days after the receiver was last seen.',
        'Unknown namespaces, deferred schemes and v2 with the network names of v1 are unknown, never Avoid. Answers of bot filters with 202, 406 and 451 are refusals; data without payment at a host that asks elsewhere is a free quota; slow (low): answers take 10 to 30 s.',
        'Rotating receivers raise nothing where one key signed every offer of the last 30 days.',
        'Reasons state the values measured at the endpoint, and when they clear.',
      ],
    },
    {
      version: '1.1.0',
      date: '2026-11-22',
      changes: [
        'Conformance only deducts, so that valid sellers score 95, 90, 86 and 75; proof adds up to 5, and 100 takes proof.',
        'Removed routes go dark: 404 and 410 by the request that worked before, seen by two client identities; 400, 405, 415 and 422 after the documents of the host were read again. From 3 refused probes in a row on, the verdict is at best Caution.',
        'Prices of uncategorized endpoints are compared with the whole directory.',
        'Official forms that the guard cannot pay are payment_unsupported (low), not asset_unknown or scheme_unsafe; where all offers are on unknown networks, the verdict is unknown.',
        'receiver_never_paid is not raised where an offer settles on a network that is not read.',
        'Input that is a placeholder or does not fit its own schema does not count as declared.',
        'A resource of another origin costs 3 points, and raises resource_mismatch (medium) if guards refuse it.',
        'receiver_sanctioned (high): the sanctions oracle of the network lists the receiver.',
        'Payers that the receiver funded through one other address do not count towards established.',
        'Receiver facts state how far back the chain was read; "ever" is said only of a whole history.',
        'Where flags decide the verdict, answers name them in overruledBy, and the score is no mark of quality.',
        'The risk level of what was never measured is unknown, not clean.',
        'Uptime takes the worse of probes and time, so that a dark service keeps no flattering uptime.',
        'Offers that differ only in amount are tiers, judged by the highest, and for price_bait by the lowest; a free offer has no price and counts for nothing beside others.',
      ],
    },
    { version: '1.0.0', date: '2026-11-21', changes: ['First published version.'] },
  ],
}
