export { ATTACKS } from './attacks/index.ts'
export type { Attack } from './attacks/types.ts'
export { LEAGUE, type LeagueClient } from './league/clients.ts'
export { type LeagueOptions, type LeagueReport, type LeagueResult, runLeague } from './league/runLeague.ts'
export { type CrashTestOptions, runCrashTest } from './runCrashTest.ts'
export {
  CATEGORIES,
  type Category,
  type CategoryResult,
  type CrashReport,
  type Problem,
} from './types.ts'
