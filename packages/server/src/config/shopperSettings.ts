import { usdToAtomic } from '@touchstone402/shared'
import { z } from 'zod'
import { optionalUrl, text } from './settingKinds.ts'

/** Configuration of the test purchases. */
export type ShopperConfig = {
  /** Path of the file with the key that the paying accounts are derived from; readable by its owner only. */
  keyFile: string
  /** Limits in dollars, as decimal strings. */
  perCallUsd: string
  perDayUsd: string
  /** URL of the service whose verdicts are checked; null for this one. */
  serviceUrl: string | null
}

const usd = (what: string) =>
  z
    .string()
    .regex(/^(?!0+(\.0+)?$)[0-9]{1,6}(\.[0-9]{1,6})?$/, {
      error: `must be dollars above zero such as 0.05: ${what}`,
      abort: true,
    })
    .optional()

/** Settings of the test purchases, by name. */
export const shopperSettings = {
  SHOPPER_KEY_FILE: text().optional(),
  SHOPPER_PER_CALL_USD: usd('the maximum price of one test purchase'),
  SHOPPER_PER_DAY_USD: usd('the maximum spent on test purchases in 24 hours'),
  SHOPPER_SERVICE_URL: optionalUrl('the service whose verdicts the shopper checks'),
}

type Settings = z.infer<z.ZodObject<typeof shopperSettings>>

const TOGETHER = ['SHOPPER_KEY_FILE', 'SHOPPER_PER_CALL_USD', 'SHOPPER_PER_DAY_USD'] as const

/** Reports a wallet without limits, limits without a wallet, and limits that contradict each other. */
export function checkShopperSettings(settings: Settings, context: z.RefinementCtx): void {
  const { SHOPPER_PER_CALL_USD: perCallUsd, SHOPPER_PER_DAY_USD: perDayUsd } = settings
  if (perCallUsd !== undefined && perDayUsd !== undefined && usdToAtomic(perCallUsd) > usdToAtomic(perDayUsd))
    context.addIssue({
      code: 'custom',
      path: ['SHOPPER_PER_CALL_USD'],
      message: 'is above SHOPPER_PER_DAY_USD: no call of that price would be bought',
    })
  const missing = TOGETHER.filter((name) => settings[name] === undefined)
  if (missing.length === TOGETHER.length) return
  for (const name of missing) {
    context.addIssue({
      code: 'custom',
      path: [name],
      message: `is missing: test purchases need ${TOGETHER.join(', ')}`,
    })
  }
}

/** Returns the shopper's part of the configuration, null if there are no test purchases. */
export function readShopper(settings: Settings): ShopperConfig | null {
  const { SHOPPER_KEY_FILE: keyFile, SHOPPER_PER_CALL_USD: perCallUsd } = settings
  const { SHOPPER_PER_DAY_USD: perDayUsd, SHOPPER_SERVICE_URL: serviceUrl = null } = settings
  if (keyFile === undefined || perCallUsd === undefined || perDayUsd === undefined) return null
  return { keyFile, perCallUsd, perDayUsd, serviceUrl }
}
