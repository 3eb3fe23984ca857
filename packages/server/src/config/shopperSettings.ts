import { z } from 'zod'

/** What test purchases are made with. */
export type ShopperConfig = {
  /** Holds the private key of the account that pays; readable by its owner alone. */
  keyFile: string
  /** Dollars as decimal strings. */
  perCallUsd: string
  perDayUsd: string
  /** Whose verdicts are looked at; null is the service itself. */
  serviceUrl: string | null
}

const usd = (what: string) =>
  z
    .string()
    .regex(/^(?!0+(\.0+)?$)[0-9]{1,6}(\.[0-9]{1,6})?$/, `must be dollars above zero such as 0.05: ${what}`)
    .optional()

/** The settings of the mystery shopper, by name. */
export const shopperSettings = {
  SHOPPER_KEY_FILE: z.string().min(1, 'is empty').optional(),
  SHOPPER_PER_CALL_USD: usd('the most that one test purchase may cost'),
  SHOPPER_PER_DAY_USD: usd('the most that test purchases may cost in 24 hours'),
  SHOPPER_SERVICE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL: whose verdicts the shopper looks at' })
    .optional(),
}

type Settings = z.infer<z.ZodObject<typeof shopperSettings>>

const TOGETHER = ['SHOPPER_KEY_FILE', 'SHOPPER_PER_CALL_USD', 'SHOPPER_PER_DAY_USD'] as const

/** Finds what is missing: a wallet without limits is as wrong as limits without a wallet. */
export function checkShopperSettings(settings: Settings, context: z.RefinementCtx): void {
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

/** The shopper's part of the configuration; null where no test purchases are made. */
export function readShopper(settings: Settings): ShopperConfig | null {
  const { SHOPPER_KEY_FILE: keyFile, SHOPPER_PER_CALL_USD: perCallUsd } = settings
  const { SHOPPER_PER_DAY_USD: perDayUsd, SHOPPER_SERVICE_URL: serviceUrl = null } = settings
  if (keyFile === undefined || perCallUsd === undefined || perDayUsd === undefined) return null
  return { keyFile, perCallUsd, perDayUsd, serviceUrl }
}
