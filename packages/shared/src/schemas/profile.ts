import * as z from 'zod/mini'
import { VERDICT_LABELS } from '../verdictCodes.ts'
import * as common from './common.ts'
import * as f from './fields.ts'

export const EndpointRowSchema = f.model('EndpointRow', 'One endpoint of a service.', {
  endpoint: common.endpoint,
  method: common.method,
  status: f.about('Result of the latest probes: live, dark, invalid or unmeasured.', common.StatusSchema),
  ...common.judgement,
  delivery: common.delivery,
  priceUsd: common.priceUsd,
  uptimePct: common.uptimePct,
  probes: common.probes,
  trust: z.nullable(f.score('Trust score from 0 to 100; null if never measured.')),
})

export const ProfileSchema = f.model('Profile', 'The trust profile of one host and its endpoints.', {
  host: common.host,
  ...common.judgement,
  label: f.oneOf('The verdict in words.', Object.values(VERDICT_LABELS)),
  trustScore: z.nullable(f.score('Trust score of the host, 0 to 100; null if nothing could be measured.')),
  liveness: f.text('Live endpoints of all known ones, as "live/total".'),
  darkSince: z.nullable(
    f.time('Time since which no endpoint is live; null while one is, or where that is not known.'),
  ),
  uptime: f.text(
    'Uptime of the last 30 days, as "95.35% of 43 of our probes", as "62% of the time; 40 of 43 of our probes" where the time that failures lasted decides, or as "too few to state (2 probes)".',
  ),
  pricePerCall: f.text('Price of a call, as "$price" or "$min-$max".'),
  network: f.text('Name of the network that payments are made on.'),
  receiver: common.receiverProfile,
  receiverStability: common.receiverStability,
  listedBy: f.texts('Directories that list the host.'),
  firstSeen: common.firstSeen,
  lastChecked: z.nullable(f.day('Day of the last probe, UTC; null if never probed.')),
  probes: common.probes,
  endpoints: f.listOf('Known endpoints of the host.', EndpointRowSchema),
  notice: f.text('What the profile rests on, and what to check before paying.'),
  scoreVersion: common.scoreVersion,
})

export type EndpointRow = z.infer<typeof EndpointRowSchema>
export type Profile = z.infer<typeof ProfileSchema>
