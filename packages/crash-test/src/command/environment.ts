import { formatUsdc } from '@touchstone402/shared'
import type { Stage } from '../sellers/openStage.ts'

/** Variables of the caller that the command keeps, if they are set: what programs need to start. */
export const KEPT = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'] as const

/** Variables that the command is given. */
export const GIVEN: Readonly<Record<string, string>> = {
  TARGET_URL: 'the URL to call with GET, and to pay for',
  PRIVATE_KEY: 'a fresh key that has never held anything, `0x` and 64 hexadecimal digits',
  TARGET_LISTING:
    'JSON of what a directory says beforehand: `url`, `priceUsd` ("0" if free), and unless it is free `network`, `asset`, `payTo`, `amount`',
  BUDGET_USD: 'the most dollars that all runs against this seller may cost',
  TOUCHSTONE_URL: 'a local verdict service that has measured the listed seller, for clients with the guard',
  TEMPO_RPC_URL: 'a stub of a Tempo node, for clients of MPP sessions',
  HOME: 'an empty folder, kept for the runs against one seller and then removed',
}

/** Settings of one run of the command. */
export type Settings = {
  stage: Pick<Stage, 'url' | 'listing'>
  privateKey: string
  budgetUsd: string
  /** Undefined: the command has no service. */
  touchstoneUrl: string | undefined
  tempoUrl: string
  home: string
  /** Names of further variables to keep. */
  keep: readonly string[]
}

/** Makes the whole environment of the command. */
export function makeEnvironment(settings: Settings, own: NodeJS.ProcessEnv): Record<string, string> {
  const { stage, privateKey, budgetUsd, touchstoneUrl, tempoUrl, home, keep } = settings
  const kept = [...KEPT, ...keep].flatMap((name) => {
    const value = own[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const { url, terms } = stage.listing
  const priceUsd = terms === null ? '0' : formatUsdc(BigInt(terms.amount))
  return {
    ...Object.fromEntries(kept),
    TARGET_URL: stage.url,
    PRIVATE_KEY: privateKey,
    TARGET_LISTING: JSON.stringify({ url, priceUsd, ...terms }),
    BUDGET_USD: budgetUsd,
    ...(touchstoneUrl !== undefined && { TOUCHSTONE_URL: touchstoneUrl }),
    TEMPO_RPC_URL: tempoUrl,
    HOME: home,
  }
}
